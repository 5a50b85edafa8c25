"""Fingerprints: what changes the numbers changes them, and nothing else does."""

import sys
from importlib import import_module

import pytest

from featlearn.engine import code_roots, fingerprint
from featlearn.engine._code import _neighbours, _place


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "package_of_a_test"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "run.py").write_text("def run(cells):\n    return []\n")
    monkeypatch.syspath_prepend(tmp_path)
    _place.cache_clear()
    yield folder
    for name in [name for name in sys.modules if name.startswith(folder.name)]:
        del sys.modules[name]
    _place.cache_clear()


def test_a_study_of_another_package_counts_with_the_whole_of_it(package, make_toy):
    module = import_module(f"{package.name}.run")
    roots = code_roots(make_toy(run=module.run).study)
    assert roots[-1] == package.name
    assert "featlearn.learners" in roots
    assert not any(root.startswith(("featlearn.report", "featlearn.cli")) for root in roots)


def test_source_makes_the_fingerprint_and_line_ends_do_not(package):
    before = fingerprint([package.name])
    assert fingerprint([package.name]) == before
    (package / "run.py").write_bytes(b"def run(cells):\r\n    return []\r\n")
    assert fingerprint([package.name]) == before
    (package / "run.py").write_text("def run(cells):\n    return [1]\n")
    assert fingerprint([package.name]) != before


def test_a_new_file_changes_it_and_what_is_not_source_does_not(package):
    before = fingerprint([package.name])
    (package / "notes.txt").write_text("x")
    assert fingerprint([package.name]) == before
    (package / "more.py").write_text("")
    assert fingerprint([package.name]) != before


def test_the_place_does_not_enter(package, tmp_path, monkeypatch):
    before = fingerprint([package.name])
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    package.rename(moved / package.name)
    monkeypatch.syspath_prepend(moved)
    _place.cache_clear()
    assert fingerprint([package.name]) == before


def test_the_numerical_rooms_are_found_without_being_loaded():
    assert _place("featlearn.learners").is_dir()
    assert _place("featlearn.seeds").is_file()
    assert _place("featlearn.nothing") is None


def test_a_built_in_study_counts_with_the_modules_that_it_imports(tmp_path, monkeypatch):
    for name, text in {
        "__init__": "from featlearn.studies import one",
        "one": "from featlearn.studies.grid import points\nfrom . import rows",
        "grid": "import featlearn.studies.deeper",
        "deeper": "import featlearn.studies.one",
        "rows": "",
        "other": "",
    }.items():
        (tmp_path / f"{name}.py").write_text(text)

    def place(module):
        path = tmp_path / f"{module.rpartition('.')[2]}.py"
        return path if path.exists() else None

    monkeypatch.setattr("featlearn.engine._code._place", place)
    found = {name.rpartition(".")[2] for name in _neighbours("featlearn.studies.one")}
    assert found == {"one", "grid", "deeper", "rows"}
