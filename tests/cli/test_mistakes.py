"""What a user may get wrong: one sentence on stderr, exit code 2, and no traceback."""

import sqlite3

import pytest

MISTAKES = [
    (["run", "toy/hodls"], "There is no study 'toy/hodls'; did you mean toy/holds"),
    (["run", "zzz"], "`featlearn list` names them"),
    (["run", "toy", "--tier", "fast"], "no tier 'fast': choose one of smoke, quick, full"),
    (["run", "toy", "--tier", "full"], "has no tier 'full'"),
    (["run", "toy", "--set", "dmi=4"], "Did you mean dim?"),
    (["run", "toy", "--set", "dim"], "--set needs name=value, got 'dim'"),
    (["run", "toy", "--set", "dim=x"], "--set dim=x needs a whole number, like 8"),
    (["run", "toy", "--seeds", "0"], "--seeds must be at least 1, got 0"),
    (["run", "toy", "--backend", "slurm"], "choose one of local, ray"),
    (["verify", "bad", "--headline"], "leave out --headline"),
    (["run", "toy", "--store", "."], "is a directory"),
    (["run", "toy", "--store", "no/x.sqlite"], "does not exist"),
    (["run", "toy", "--store", "notes.txt"], "is not an SQLite file"),
    (["run", "toy", "--store", "notes.txt/x"], "does not exist"),
    (["verify", "--store", "theirs.sqlite"], "another program; it was left untouched"),
    (["status", "--store", "notes.txt"], "is not an SQLite file"),
    (["report", "--store", "none.sqlite"], "There is no store at none.sqlite"),
]


@pytest.mark.parametrize(("words", "sentence"), MISTAKES)
@pytest.mark.parametrize("json", [[], ["--json"]])
def test_a_mistake_is_one_sentence(featlearn, place, words, sentence, json):
    (place / "notes.txt").write_text("these are my notes\n" * 100)
    theirs = sqlite3.connect(place / "theirs.sqlite")
    theirs.execute("CREATE TABLE x (y)")
    theirs.commit()
    theirs.close()
    ended = featlearn(*words, *json)
    assert ended.code == 2
    assert sentence in ended.err
    assert ended.err.startswith("featlearn: ")
    assert ended.err.count("\n") == 1
    assert ended.out == ""


@pytest.mark.parametrize(
    "words", [["stats"], ["run"], ["run", "toy", "--seeds", "x"], ["verify", "--frob"]]
)
def test_usage_is_told_by_the_parser(featlearn, words):
    ended = featlearn(*words)
    assert ended.code == 2
    assert "Usage: featlearn" in ended.err or "Usage:" in ended.err
    assert "Traceback" not in ended.err


def test_our_own_mistake_is_a_sentence_and_a_file(featlearn, monkeypatch):
    def bug(*words):
        raise ZeroDivisionError("deep inside")

    monkeypatch.setattr("featlearn.cli.list.catalogue", bug)
    ended = featlearn("list")
    assert ended.code == 70
    assert ended.err.count("\n") == 1
    path = ended.err.rstrip().removesuffix(".").rpartition(" with ")[2]
    with open(path) as file:
        assert "deep inside" in file.read()


def test_debug_shows_the_traceback(start):
    process = start("--debug", "run", "toy/holds", BREAK="1")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "the study broke" in out
    assert "Traceback" in err
