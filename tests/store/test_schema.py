"""Opening a file: what is not ours is left alone, and the sentence names the remedy."""

import sqlite3
import threading

import pytest

from featlearn.errors import StoreError
from featlearn.store import SCHEMA_VERSION, Store


def refused(path, sentence, *, read_only=False):
    with pytest.raises(StoreError, match=sentence) as caught:
        Store(path, read_only=read_only)
    assert "--store" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_sqlite(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("these are my notes\n" * 100)
    refused(path, "not an SQLite file")
    refused(path, "not an SQLite file", read_only=True)
    assert path.read_text().startswith("these are my notes")


def test_the_database_of_another_program_is_left_untouched(tmp_path):
    path = tmp_path / "other.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE cells (id)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    refused(path, "another program")
    assert path.read_bytes() == before


def test_a_newer_store_is_refused(tmp_path):
    path = tmp_path / "x.sqlite"
    Store(path).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()
    refused(path, "newer featlearn")
    refused(path, "newer featlearn", read_only=True)


def test_a_directory_and_a_place_that_does_not_exist(tmp_path):
    refused(tmp_path, "is a directory")
    refused(tmp_path / "no" / "x.sqlite", "does not exist")
    (tmp_path / "file").touch()
    refused(tmp_path / "file" / "x.sqlite", "does not exist")


def test_reading_makes_no_file(tmp_path):
    refused(tmp_path / "x.sqlite", "There is no store", read_only=True)
    assert not list(tmp_path.iterdir())


def test_a_damaged_file(tmp_path, make_row):
    path = tmp_path / "x.sqlite"
    with Store(path) as store:
        store.begin([make_row(r) for r in range(200)])
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(StoreError, match="damaged"), Store(path) as store:
        store.cells([make_row(r).id for r in range(200)])


def test_a_reader_cannot_write(tmp_path, make_row):
    Store(tmp_path / "x.sqlite").close()
    with (
        Store(tmp_path / "x.sqlite", read_only=True) as store,
        pytest.raises(StoreError, match="cannot be written"),
    ):
        store.begin([make_row()])


def test_many_may_open_a_new_file_at_once(tmp_path, make_row):
    problems = []

    def open_and_write(repetition):
        try:
            with Store(tmp_path / "x.sqlite") as store:
                store.begin([make_row(repetition)])
        except StoreError as error:
            problems.append(error)

    threads = [threading.Thread(target=open_and_write, args=(r,)) for r in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    with Store(tmp_path / "x.sqlite", read_only=True) as store:
        assert len(store.cells([make_row(r).id for r in range(8)])) == 8


def test_opening_waits_for_another_that_is_creating_the_file(tmp_path):
    path = tmp_path / "x.sqlite"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.2, other.execute, ["ROLLBACK"])
    release.start()
    Store(path).close()
    release.join()
    other.close()


def test_a_lock_that_is_not_given_back_is_told(tmp_path, make_row, monkeypatch):
    monkeypatch.setattr("featlearn.store._schema.PATIENCE", 0.05)
    with Store(tmp_path / "x.sqlite") as store:
        other = sqlite3.connect(tmp_path / "x.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked by another process"):
            store.begin([make_row()])
        other.execute("ROLLBACK")
        other.close()
        store.begin([make_row()])
