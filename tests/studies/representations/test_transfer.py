"""N*(d) for each amount of pretraining, from heads whose crossings are known."""

import pytest

from featlearn.studies.representations.transfer import (
    LEVEL,
    LINEAR,
    SHUFFLED,
    SQUARE,
    SQUARE_SMALL,
    STUDY,
)

FLAT = "pretrained on n = 16 d²: slope of log N*(d)"
GROWING = "pretrained on n = d: slope of log N*(d)"
BY_CHANCE = "pretrained on n = 16 d² shuffled labels: slope of log N*(d)"


def law(**changes):
    """N*(d) by kind of pretraining; constant after many samples, growing after few or none."""
    needs = {
        SQUARE: lambda d: 200.0,
        SHUFFLED: lambda d: 8 * d**1.4,
        LINEAR: lambda d: 60 * d**1.8,
        SQUARE_SMALL: lambda d: 200.0,
        **changes,
    }

    def values(p, luck):
        few = p.pretrained == SQUARE and p.multiple == 1
        needed = 8 * p.d**1.4 if few else needs[p.pretrained](p.d)
        return {f"risk_{size}": LEVEL * needed * luck / size for size in p.sizes}

    return values


def by_role(study):
    """The two findings of one label, those of d² at large and at small d, apart."""
    return {(f.label, f.role): f for f in study}


def test_heads_that_need_no_d_after_enough_pretraining_are_what_the_claim_says(invent):
    found = by_role(STUDY.judge(invent(STUDY, law())))
    assert {key: f.verdict for key, f in found.items() if f.role != "measurement"} == {
        (FLAT, "claim"): "holds",
        (GROWING, "claim"): "holds",
        (BY_CHANCE, "control"): "fails",
        (FLAT, "control"): "fails",
    }
    assert found[GROWING, "claim"].measured.value == pytest.approx(1.8, abs=0.05)
    assert found[FLAT, "claim"].measured.value == pytest.approx(0.0, abs=0.05)


def test_the_smaller_multiples_are_reported_alone(invent):
    found = by_role(STUDY.judge(invent(STUDY, law())))
    reported = {key[0]: f for key, f in found.items() if f.role == "measurement"}
    assert [*reported] == [
        "pretrained on n = 1 d²: slope of log N*(d)",
        "pretrained on n = 4 d²: slope of log N*(d)",
    ]
    assert reported["pretrained on n = 1 d²: slope of log N*(d)"].measured.value > 1.3


def test_heads_that_need_more_as_d_grows_fail(invent):
    found = by_role(STUDY.judge(invent(STUDY, law(**{SQUARE: lambda d: 8 * d**1.4}))))
    assert found[FLAT, "claim"].verdict == "fails"
    assert not found[FLAT, "claim"].as_expected


def test_heads_that_need_no_d_after_few_samples_fail(invent):
    found = by_role(STUDY.judge(invent(STUDY, law(**{LINEAR: lambda d: 200.0}))))
    assert found[GROWING, "claim"].verdict == "fails"


def test_shuffled_labels_that_teach_are_reported(invent):
    found = STUDY.judge(invent(STUDY, law(**{SHUFFLED: lambda d: 200.0})))
    assert [f.label for f in found if not f.as_expected] == [BY_CHANCE]


def test_growth_at_small_d_whatever_the_pretraining_is_reported(invent):
    found = STUDY.judge(invent(STUDY, law(**{SQUARE_SMALL: lambda d: 60 * d**1.8})))
    assert [(f.label, f.role) for f in found if not f.as_expected] == [(FLAT, "control")]


def test_diverged_cells_are_flagged_and_not_fitted(invent):
    rows = invent(STUDY, law())
    assert {f.flags for f in STUDY.judge(rows)} == {()}
    rows.loc[rows["repetition"] == 0, "state"] = "diverged"
    rows.loc[rows["repetition"] == 0, "risk_4096"] = float("nan")
    found = STUDY.judge(rows)
    assert {(f.measured.seeds, f.flags) for f in found} == {(9, ("diverged",))}
    assert all(f.as_expected for f in found)
