"""Running plans: fleets, resumption, failures, findings."""

import math
from dataclasses import replace

import pytest

from featlearn.engine import Outcome, make_plans, run_plans, tally
from featlearn.errors import NotFoundError
from featlearn.store import Store


class Watch:
    """Notes what it is told."""

    def __init__(self):
        self.told = []

    def planned(self, plan, before):
        self.told.append(("planned", plan.study.name, before.open))

    def advanced(self, plan, cells):
        self.told.append(("advanced", plan.study.name, cells))

    def finished(self, result):
        self.told.append(("finished", result.plan.study.name, result.computed))


def go(toy, store, seeds=None, observer=None, **changes):
    (plan,) = make_plans([toy.study], "quick", changes=changes, seeds=seeds)
    (result,) = run_plans([plan], store, observer=observer)
    return result


def test_values_reach_the_store_and_the_findings(toy, store):
    result = go(toy, store)
    assert result.sound
    assert result.computed == 6
    assert store.frame(result.plan.ids)["risk"].tolist() == [10, 11, 20, 21, 30, 31]
    (finding,) = result.findings
    assert finding.measured.value == pytest.approx(20.5)
    assert store.findings(result.plan.id) == [finding]
    assert store.plan(result.plan.id).cells == tuple(result.plan.ids)


def test_cells_of_equal_shape_are_one_fleet(toy, store):
    go(toy, store)
    assert toy.fleets == [[(1, 0), (1, 1)], [(2, 0), (2, 1)], [(3, 0), (3, 1)]]


def test_fleets_are_no_larger_than_the_study_allows(make_toy, store):
    toy = make_toy(shape=lambda parameters: 0, fleet_size=4)
    go(toy, store)
    assert toy.fleets == [[(1, 0), (1, 1), (2, 0), (2, 1)], [(3, 0), (3, 1)]]


def test_what_is_complete_is_not_computed_again(toy, store):
    go(toy, store)
    toy.fleets.clear()
    result = go(toy, store)
    assert toy.fleets == []
    assert (result.computed, len(result.findings)) == (0, 1)


def test_more_seeds_compute_the_new_ones_only(toy, store):
    go(toy, store)
    toy.fleets.clear()
    assert go(toy, store, seeds=3).computed == 3
    assert toy.fleets == [[(1, 2)], [(2, 2)], [(3, 2)]]


def test_a_run_that_was_stopped_goes_on_where_it_was(toy, store):
    right = toy.outcome

    def stopped(cell):
        if cell.parameters["n"] == 2:
            raise KeyboardInterrupt
        return right(cell)

    toy.outcome = stopped
    with pytest.raises(KeyboardInterrupt):
        go(toy, store)
    (plan,) = make_plans([toy.study], "quick")
    assert tally(plan.ids, store.statuses(plan.ids), plan.fingerprint).missing == 4
    assert store.findings(plan.id) == []
    toy.outcome = right
    toy.fleets.clear()
    assert go(toy, store).computed == 4
    assert toy.fleets == [[(2, 0), (2, 1)], [(3, 0), (3, 1)]]


def test_cells_that_a_killed_process_left_running_are_computed(toy, store):
    result = go(toy, store)
    lost = store.cells(result.plan.ids[2:4])
    store.finish([replace(row, state="running", values={}) for row in lost])
    toy.fleets.clear()
    assert go(toy, store).computed == 2
    assert toy.fleets == [[(2, 0), (2, 1)]]


def test_a_failed_fleet_says_why_and_is_computed_again(toy, store):
    right = toy.outcome

    def broken(cell):
        return right(cell) if cell.parameters["n"] != 3 else 1 / 0

    toy.outcome = broken
    result = go(toy, store)
    assert not result.sound
    assert (result.tally.done, result.tally.failed) == (4, 2)
    assert result.failures == ("ZeroDivisionError: division by zero",)
    toy.outcome = right
    assert go(toy, store).computed == 2
    assert go(toy, store).sound


def test_a_fleet_must_give_one_outcome_for_each_cell(toy, store):
    right = toy.study.run
    result = go(replace_run(toy, lambda cells: right(cells)[1:]), store)
    assert result.failures == ("ValueError: the study gave 1 outcomes for 2 cells",)


def replace_run(toy, run):
    toy.study = replace(toy.study, run=run)
    return toy


def test_stale_cells_are_computed_again(toy, store, monkeypatch):
    go(toy, store)
    monkeypatch.setattr("featlearn.engine._plan.fingerprint", lambda roots: "new code")
    (plan,) = make_plans([toy.study], "quick")
    assert tally(plan.ids, store.statuses(plan.ids), plan.fingerprint).stale == 6
    result = go(toy, store)
    assert (result.computed, result.tally.done) == (6, 6)


def test_not_a_number_is_a_cell_that_diverged_and_is_complete(toy, store):
    toy.outcome = lambda cell: Outcome(
        values={"risk": math.nan if cell.repetition else 1.0, "steps": 3}
    )
    result = go(toy, store)
    assert (result.tally.diverged, result.tally.done, result.tally.open) == (3, 3, 0)
    row = store.cells(result.plan.ids)[1]
    assert (row.state, row.values, row.message) == ("diverged", {"steps": 3}, "not a number: risk")
    assert go(toy, store).computed == 0


def test_infinity_is_a_value(toy, store):
    toy.outcome = lambda cell: Outcome(values={"risk": math.inf})
    assert go(toy, store).tally.done == 6
    assert go(toy, store).findings[0].verdict == "fails"


def test_a_value_may_not_take_the_name_of_a_parameter(toy, store):
    toy.outcome = lambda cell: Outcome(values={"n": 5.0, "risk": 1.0})
    assert "named like parameters: n" in go(toy, store).failures[0]


def test_a_judge_that_cannot_is_a_sentence_and_the_cells_are_kept(make_toy, store):
    toy = make_toy(judge=lambda frame: [frame["excess"]])
    result = go(toy, store)
    assert result.problem == "toy/risk could not be judged (KeyError: 'excess')."
    assert not result.sound
    assert result.tally.done == 6


def test_a_judge_must_give_findings(make_toy, store):
    result = go(make_toy(judge=lambda frame: ["it holds"]), store)
    assert "something else than findings" in result.problem


def test_where_cells_are_lost_the_sentence_says_so(make_toy, store):
    toy = make_toy(judge=lambda frame: frame["risk"])
    toy.outcome = lambda cell: 1 / 0
    assert "with 6 of 6 cells failed or diverged" in go(toy, store).problem


def test_findings_on_other_cells_are_dropped_before_new_ones_are_computed(toy, store, monkeypatch):
    result = go(toy, store)
    monkeypatch.setattr("featlearn.engine._plan.fingerprint", lambda roots: "new code")
    seen = []
    toy.outcome = lambda cell: seen.append(1) or Outcome(values={"risk": 1.0})

    class Look(Watch):
        def advanced(self, plan, cells):
            seen.append(store.findings(plan.id))

    go(toy, store, observer=Look())
    assert [] in seen
    assert store.findings(result.plan.id)[0].measured.value == 1.0


def test_observers_are_told_in_order(make_toy, store):
    one, other = make_toy(), make_toy(name="toy/other")
    watch = Watch()
    run_plans(make_plans([one.study, other.study], "quick", seeds=1), store, observer=watch)
    advances = [("advanced", "toy/{}", 1)] * 3
    assert watch.told == [
        (what, name.format(study), count)
        for study in ("risk", "other")
        for what, name, count in [("planned", "toy/{}", 3), *advances, ("finished", "toy/{}", 3)]
    ]


def test_cells_that_another_process_completes_meanwhile_are_left_to_it(toy, tmp_path, make_toy):
    other = make_toy()
    path = tmp_path / "shared.sqlite"

    class Meanwhile(Watch):
        def advanced(self, plan, cells):
            super().advanced(plan, cells)
            if len(self.told) == 2:
                with Store(path) as theirs:
                    go(other, theirs)

    watch = Meanwhile()
    with Store(path) as ours:
        result = go(toy, ours, observer=watch)
    assert toy.fleets == [[(1, 0), (1, 1)]]
    assert other.fleets == [[(2, 0), (2, 1)], [(3, 0), (3, 1)]]
    assert result.sound
    assert [count for what, _, count in watch.told if what == "advanced"] == [2, 2, 2]


def test_an_unknown_backend_is_refused_before_anything_runs(toy, store):
    with pytest.raises(NotFoundError, match="no backend 'slurm': choose one of local, ray"):
        run_plans(make_plans([toy.study], "quick"), store, backend="slurm")
    assert store.plans() == []
