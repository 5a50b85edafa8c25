"""Plans: which cells, under which ids, and the command that makes them again."""

import shlex

import pytest

from featlearn.engine import make_plans, split_changes
from featlearn.errors import FeatlearnError, InvalidInputError, NotFoundError


def plan_of(toy, tier="quick", changes=None, seeds=None):
    (plan,) = make_plans([toy.study], tier, changes=changes, seeds=seeds)
    return plan


def test_every_repetition_of_every_point_of_the_grid_in_turn(toy):
    cells = [(c.parameters["n"], c.repetition) for c in plan_of(toy).cells.values()]
    assert cells == [(1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)]


def test_ids_are_pinned_since_stores_hold_them(toy):
    plan = plan_of(toy, "smoke")
    assert plan.ids[0][:16] == "af02984a75fe2148"
    assert plan.id[:16] == "feecffac3696eca5"


def test_more_seeds_keep_the_cells_that_there_are(toy):
    few, more = plan_of(toy, seeds=1), plan_of(toy, seeds=3)
    assert set(few.ids) < set(more.ids)
    assert few.id != more.id


def test_tiers_share_cells_whose_parameters_are_equal(toy):
    small = plan_of(toy, "smoke", {"dim": "8"})
    assert set(small.ids) < set(plan_of(toy).ids)


@pytest.mark.parametrize(
    ("changes", "seeds", "command"),
    [
        ({}, None, "featlearn run toy/risk --tier quick"),
        ({"n": "1,2,3"}, 2, "featlearn run toy/risk --tier quick"),
        ({"n": "4, 5"}, None, "featlearn run toy/risk --tier quick --set n=4,5"),
        ({"dim": "16"}, 7, "featlearn run toy/risk --tier quick --set dim=16 --seeds 7"),
    ],
)
def test_the_command_makes_the_same_plan_again(toy, changes, seeds, command):
    plan = plan_of(toy, changes=changes, seeds=seeds)
    assert plan.command == command
    words = shlex.split(command)
    sets = [words[at + 1] for at, word in enumerate(words) if word == "--set"]
    given = int(words[words.index("--seeds") + 1]) if "--seeds" in words else None
    assert plan_of(toy, words[4], split_changes(sets), given).id == plan.id


def test_a_default_that_is_a_tuple_is_the_list_that_spells_it(make_toy):
    toy = make_toy(settings={"quick": {"n": (1, 2), "dim": 8}})
    assert plan_of(toy, changes={"n": "1,2"}).command == "featlearn run toy/risk --tier quick"


@pytest.mark.parametrize(
    ("tier", "changes", "seeds", "error", "sentence"),
    [
        ("huge", {}, None, NotFoundError, "no tier 'huge': choose one of smoke, quick, full"),
        ("full", {}, None, NotFoundError, "toy/risk has no tier 'full'"),
        ("quick", {"dmi": "4"}, None, NotFoundError, "Did you mean dim"),
        ("quick", {"dim": "many"}, None, InvalidInputError, "needs a whole number, like 8"),
        ("quick", {"n": ""}, None, InvalidInputError, "grid of toy/risk is empty"),
        ("quick", {}, 0, InvalidInputError, "--seeds must be at least 1, got 0"),
        ("quick", {}, -3, InvalidInputError, "--seeds must be at least 1, got -3"),
    ],
)
def test_what_cannot_be_planned_is_said_in_a_sentence(toy, tier, changes, seeds, error, sentence):
    with pytest.raises(error, match=sentence):
        plan_of(toy, tier, changes, seeds)


def test_a_grid_that_breaks_blames_the_settings(make_toy):
    toy = make_toy(grid=lambda settings: [{"n": 1 // (settings["dim"] - 8)}])
    with pytest.raises(FeatlearnError, match=r"ZeroDivisionError.*check --set"):
        plan_of(toy)


def test_a_change_concerns_the_studies_that_have_it(make_toy):
    other = make_toy(
        name="toy/other", settings={"quick": {"width": 4}}, grid=lambda s: [{"n": s["width"]}]
    )
    plans = make_plans([make_toy().study, other.study], "quick", changes={"width": "5"})
    assert [dict(plan.settings) for plan in plans] == [{"n": [1, 2, 3], "dim": 8}, {"width": 5}]
