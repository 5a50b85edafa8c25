from dataclasses import replace

import pytest

from featlearn.cli._entries import entries_and_system
from featlearn.engine import load_registry
from featlearn.store import Store


@pytest.fixture
def registry(place):
    import studies_of_a_test

    return load_registry(studies_of_a_test.STUDIES)


def entries(registry):
    with Store("featlearn.sqlite", read_only=True) as store:
        return entries_and_system(store, registry)


def test_a_page_is_written_and_its_path_printed(featlearn, place):
    featlearn("run", "toy", "bad")
    ended = featlearn("report")
    assert (ended.code, ended.out, ended.err) == (0, "featlearn-report/index.html\n", "")
    text = (place / "featlearn-report" / "index.html").read_text()
    assert "The statement of toy/holds." in text
    assert "featlearn run bad/fails --tier quick" in text


def test_json(featlearn):
    featlearn("run", "toy")
    ended = featlearn("report", "--out", "deep/er", "--json")
    assert ended.json == {
        "page": "deep/er/index.html", "studies": ["toy/holds", "toy/open"], "warnings": [],
    }  # fmt: skip


def test_an_entry_says_what_the_study_and_the_store_say(featlearn, registry):
    featlearn("run", "toy/holds", "--seeds", 3)
    (entry,), system, problems = entries(registry)
    assert (entry.name, entry.tier, entry.seeds, entry.headline) == ("toy/holds", "quick", 3, True)
    assert entry.command == "featlearn run toy/holds --tier quick --seeds 3"
    assert entry.rows["risk"].tolist() == [1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25]
    assert [finding.verdict for finding in entry.findings] == ["holds", "fails", "measured"]
    assert entry.versions.keys() == {"featlearn", "jax", "jaxlib", "numpy", "python"}
    assert "core" in system["device"]
    assert problems == []


def test_a_study_is_shown_by_the_plan_used_last_that_was_judged(featlearn, registry):
    featlearn("run", "toy/holds")
    featlearn("run", "toy/holds", "--tier", "smoke")
    assert entries(registry)[0][0].tier == "smoke"
    featlearn("run", "toy/holds")
    assert entries(registry)[0][0].tier == "quick"
    with Store("featlearn.sqlite") as store:
        (smoke,) = (plan for plan in store.plans() if plan.tier == "smoke")
        store.save_findings(smoke.id, [])
        store.save_plan(replace(smoke, created="9999"))
    assert entries(registry)[0][0].tier == "quick"


def test_machines_and_versions_that_differ_are_all_named(featlearn, registry):
    featlearn("run", "toy/holds")
    with Store("featlearn.sqlite") as store:
        (plan,) = store.plans()
        last = store.cells(plan.cells)[-1]
        store.finish([replace(last, device="H200", versions={**last.versions, "jax": "0.11"})])
    (entry,), system, _ = entries(registry)
    assert system["device"].endswith(" · H200")
    assert entry.versions["jax"].endswith(" · 0.11")


def test_what_the_page_lacks_is_told(featlearn, registry, monkeypatch):
    featlearn("run", "toy/holds", "toy/open", "bad/fails")
    with Store("featlearn.sqlite") as store:
        plan = next(plan for plan in store.plans() if plan.study == "toy/open")
        row = store.cells(plan.cells)[0]
        store.finish([replace(row, state="running", values={})])
    rest = load_registry(study for study in registry.studies if study.name != "bad/fails")
    monkeypatch.setattr(rest.__class__, "find", lambda self, name: name != "bad/fails" or None)
    _, _, problems = entries(rest)
    assert any("toy/open lacks 1 of 6 cells: featlearn run toy/open" in p for p in problems)
    assert any(p.startswith("bad/fails is in the store, and not among") for p in problems)


def test_stale_numbers_are_told(featlearn, monkeypatch):
    featlearn("run", "toy/holds")
    monkeypatch.setattr("featlearn.cli._entries.fingerprint", lambda roots: "new")
    ended = featlearn("report")
    assert ended.code == 0
    assert "toy/holds was computed by other code than the present" in ended.err


def test_a_store_without_a_complete_cell_has_no_page(featlearn, place, monkeypatch):
    monkeypatch.setenv("BREAK", "1")
    featlearn("run", "toy/holds")
    ended = featlearn("report")
    assert ended.code == 2
    assert "holds no study to report on" in ended.err
    assert not (place / "featlearn-report").exists()


@pytest.mark.parametrize("out", ["file", "file/deeper"])
def test_a_place_that_cannot_be_written(featlearn, place, out):
    (place / "file").write_text("mine")
    featlearn("run", "toy/holds")
    ended = featlearn("report", "--out", out)
    assert ended.code == 2
    assert "--out" in ended.err
    assert (place / "file").read_text() == "mine"
