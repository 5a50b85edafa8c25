import re


def test_nothing_yet(featlearn, place):
    featlearn("run", "toy/holds", "--backend", "nowhere")
    assert featlearn("status").out == "Nothing was run into this store yet.\n"


def test_cells_are_counted_by_plan(featlearn, monkeypatch):
    featlearn("run", "toy/holds")
    featlearn("run", "toy/holds", "--seeds", 3, "--set", "n=1")
    monkeypatch.setenv("BREAK", "1")
    featlearn("run", "toy/open")
    text = featlearn("status").out
    assert re.search(r"study +tier +seeds +done +failed +missing", text)
    assert re.search(r"toy/holds +quick +2 +6 +0 +0", text)
    assert re.search(r"toy/holds +quick +3 +3 +0 +0\s*\nn=1", text)
    assert re.search(r"toy/open +quick +2 +0 +6 +0", text)
    assert text.endswith("To complete them:\n  featlearn run toy/open --tier quick\n")


def test_cells_of_other_code_are_stale(featlearn, monkeypatch):
    featlearn("run", "toy/holds")
    monkeypatch.setattr("featlearn.cli.status.fingerprint", lambda roots: "new")
    (plan,) = featlearn("status", "--json").json["plans"]
    assert (plan["cells"]["stale"], plan["cells"]["done"]) == (6, 0)
    assert plan["command"] == "featlearn run toy/holds --tier quick"


def test_without_a_store(featlearn, place):
    ended = featlearn("status")
    assert ended.code == 2
    assert "Run `featlearn verify` first" in ended.err
    assert not list(place.iterdir())
