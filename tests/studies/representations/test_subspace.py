"""The energy of the neurons outside S*, from its law and from chance."""

import pytest

from featlearn.studies.representations.subspace import CONTROLS, FAR, RIVALS, STUDY


def by_chance(d):
    """The energy inside S* that labels of random sign give."""
    return 7 / (d + 6)


def energy_inside(d, ratio):
    """(π/2)(1 + ζ²) d²/n_train, in round numbers."""
    return 1 / (1 + 2 / ratio)


def law(seen=lambda p: p.learner == "one step" and p.form == "representation"):
    """Neurons that find S* where `seen` says so, and are at chance elsewhere."""

    def values(p, luck):
        if p.learner in RIVALS:
            return {"outside": 0.4 * luck}
        inside = energy_inside(p.d, p.n / p.d**2) if seen(p) else 1.2 * by_chance(p.d)
        return {"outside": 1 - inside * luck, "outside_by_chance": 1 - by_chance(p.d)}

    return values


def test_neurons_in_the_subspace_are_what_the_claim_says(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    assert len(found.verdicts("claim")) == 3
    assert len(found.verdicts("control")) == 3 * len(CONTROLS)
    slope = found["slope of log(energy outside / inside) in n/d²"].measured
    assert slope.value == pytest.approx(-1.0, abs=0.05)


def test_the_lift_is_reported_at_every_d_and_judged_at_the_largest(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    lifts = {d: found[f"d = {d}, n = d²: energy inside / its level of chance"] for d in
             (16, 32, 64, 128)}  # fmt: skip
    for d, finding in lifts.items():
        assert finding.measured.value == pytest.approx(1 / 3 / by_chance(d), rel=0.05)
    assert [f.verdict for f in lifts.values()] == [*["measured"] * 3, "holds"]
    assert lifts[16].measured.value < FAR.value
    assert [float(lifts[d].predicted) for d in (16, 32, 64)] == [1.7, 2.6, 4.4]


def test_neurons_that_see_nothing_fail(invent, judged):
    found = judged(STUDY, invent(STUDY, law(seen=lambda p: False)))
    assert set(found.verdicts("claim").values()) == {"fails"}


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_that_finds_the_subspace_is_reported(invent, judged, name):
    which = CONTROLS[name]

    def seen(p):
        good = p.learner == "one step" and p.form == "representation"
        return good or (p.learner == which["learner"] and p.form == which["form"])

    found = judged(STUDY, invent(STUDY, law(seen)))
    assert found.unexpected == {
        f"{name}: slope of log(energy outside / inside) in n/d²",
        f"{name}: n = d²: slope of log(energy inside / its level of chance) in d",
    }


def test_every_rival_is_reported(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    for rival in RIVALS:
        finding = found[f"{rival}, n = d²: energy outside"]
        assert (finding.role, finding.measured.seeds) == ("measurement", 10)
        assert finding.measured.value == pytest.approx(0.4, rel=0.05)


def test_diverged_cells_are_flagged_and_not_averaged(invent, judged):
    rows = invent(STUDY, law())
    good = (rows["learner"] == "one step") & (rows["form"] == "representation")
    rows.loc[good & (rows["repetition"] == 0), "state"] = "diverged"
    rows.loc[good & (rows["repetition"] == 0), ["outside", "outside_by_chance"]] = 0.5
    found = judged(STUDY, rows)
    assert found.as_it_should_be
    flagged = {label for label, finding in found.items() if "diverged" in finding.flags}
    assert flagged == set(found.verdicts("claim"))
    assert found["d = 128, n = d²: energy inside / its level of chance"].measured.seeds == 9
