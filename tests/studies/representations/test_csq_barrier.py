"""He_p alone and with He2 added, at n = d²."""

import pytest

from featlearn.studies.representations.csq_barrier import STUDY


def law(alone=(0.98, 1.2), restored=(0.3, 5.0)):
    """Error at n = d², and the energy inside S* over its level of chance, for both targets."""

    def values(p, luck):
        risk, lift = alone if p.form == "hermite" else restored
        chance = 9 / (p.d + 8)
        return {
            "risk": risk * luck if p.n == p.d**2 else 1.0,
            "outside": 1 - lift * chance * luck,
            "outside_by_chance": 1 - chance,
            "grid_edge": 0.0,
        }

    return values


def test_nothing_from_one_part_and_much_from_both_is_what_the_claim_says(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    claims, controls = found.verdicts("claim"), found.verdicts("control")
    for p in (3, 4):
        assert {f"He{p} alone: squared error", f"He{p} alone: energy inside S* / chance"} < set(
            claims
        )
        assert f"He2 added to He{p}: energy inside S* / chance" in controls
    assert (len(claims), len(controls)) == (4, 4)
    lift = found["He3 alone: energy inside S* / chance"].measured.value
    assert lift == pytest.approx(1.2, rel=0.03)


def test_a_step_that_learns_without_the_second_degree_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(alone=(0.3, 5.0))))
    assert set(found.verdicts("claim").values()) == {"fails"}


def test_a_second_degree_that_does_not_help_is_reported(invent, judged):
    found = judged(STUDY, invent(STUDY, law(restored=(0.98, 1.2))))
    assert found.unexpected == set(found.verdicts("control"))


def test_diverged_cells_are_flagged_and_not_averaged(invent, judged):
    rows = invent(STUDY, law())
    some = (rows["form"] == "hermite") & (rows["p"] == 3) & (rows["repetition"] < 3)
    rows.loc[some, "state"] = "diverged"
    rows.loc[some, ["risk", "outside"]] = [1e6, 0.0]
    found = judged(STUDY, rows)
    assert found.as_it_should_be
    assert found["He3 alone: squared error"].flags == ("diverged",)
    for what in ("squared error", "energy inside S* / chance"):
        assert found[f"He3 alone: {what}"].measured.seeds == 7
