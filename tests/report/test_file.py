"""A page is written whole or not at all, and what prevents it is said in a sentence."""

import errno
import os

import pytest

from featlearn.errors import FeatlearnError, InvalidInputError
from featlearn.report._file import write_whole


def test_makes_the_folder_and_leaves_nothing_else(tmp_path):
    path = write_whole(tmp_path / "a" / "b" / "index.html", "x ≤ 2")
    assert path.read_text(encoding="utf-8") == "x ≤ 2"
    assert [p.name for p in path.parent.iterdir()] == ["index.html"]


def test_is_readable_as_other_files_are(tmp_path):
    (tmp_path / "plain").write_text("")
    path = write_whole(tmp_path / "index.html", "x")
    assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_an_earlier_page_survives_a_failure(tmp_path, monkeypatch, code):
    path = write_whole(tmp_path / "index.html", "old")

    def refuse(*_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(FeatlearnError, match=r"index\.html") as caught:
        write_whole(path, "new")
    assert ("No room left" in str(caught.value)) == (code == errno.ENOSPC)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["index.html"]


def test_a_reader_never_sees_half_a_page(tmp_path, monkeypatch):
    path = write_whole(tmp_path / "index.html", "old")
    seen = []
    fsync = os.fsync

    def look(descriptor):
        fsync(descriptor)
        seen.append(path.read_text())

    monkeypatch.setattr(os, "fsync", look)
    write_whole(path, "new")
    assert seen == ["old"]
    assert path.read_text() == "new"


def test_a_file_in_the_way_of_the_folder(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(InvalidInputError, match="choose with --out a folder"):
        write_whole(tmp_path / "taken" / "index.html", "x")


def test_a_folder_in_the_way_of_the_page(tmp_path):
    (tmp_path / "index.html").mkdir()
    with pytest.raises(InvalidInputError, match="choose with --out a folder"):
        write_whole(tmp_path / "index.html", "x")
    assert [p.name for p in tmp_path.iterdir()] == ["index.html"]


def test_a_name_that_no_file_can_have(tmp_path):
    with pytest.raises(InvalidInputError, match="Cannot write"):
        write_whole(tmp_path / "a\0b" / "index.html", "x")
    with pytest.raises(InvalidInputError, match="Cannot write"):
        write_whole(tmp_path / ("long" * 100) / "index.html", "x")


def test_text_that_is_not_unicode_is_still_written(tmp_path):
    assert write_whole(tmp_path / "index.html", "a\udcffb").read_text() == "a?b"
