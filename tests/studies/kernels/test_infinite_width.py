"""The slope of the error in the width, from networks whose law is known."""

from dataclasses import replace

import pytest

from featlearn.studies.kernels.infinite_width import KERNELS, STUDY, WRONG

SHOWN = "ReLU, L = 1, biases"


def law(power=-0.5, limit=0.0, wrong=0.2, copied=None):
    """C m^power + limit; `wrong` is how far a wrong closed form is from the right one."""

    def error(m, distinct):
        neurons = m if copied else distinct
        return neurons**power + limit

    def values(p, luck):
        found = luck * error(p.width, p.distinct)
        each = {"error": found} | dict.fromkeys(WRONG, (found**2 + wrong**2) ** 0.5)
        return {f"{kernel}_{form}": value for kernel in KERNELS for form, value in each.items()}

    return values


def slope(kernel, network):
    return f"{kernel}, {network}: slope of log error in log m"


def test_errors_like_one_over_the_root_of_the_width_are_what_the_claim_says(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    assert len(found.verdicts("claim")) == 2 * 2 * 2 * 2
    assert len(found.verdicts("control")) == 2 * 3
    measured = found[slope("NTK", "ReLU, L = 2, no biases")].measured
    assert measured.value == pytest.approx(-0.5, abs=0.02)


@pytest.mark.parametrize(
    "wrong", [{"power": -1.0}, {"power": -0.25}, {"limit": 0.1}], ids=["1/m", "slow", "level"]
)
def test_other_laws_fail(invent, judged, wrong):
    found = judged(STUDY, invent(STUDY, law(**wrong)))
    assert set(found.verdicts("claim").values()) == {"fails"}


def test_wrong_closed_forms_that_are_approached_are_reported(invent, judged):
    found = judged(STUDY, invent(STUDY, law(wrong=0.0)))
    assert found.unexpected == {
        slope(called, f"{SHOWN}, {name}") for called in KERNELS.values() for name in WRONG.values()
    }


def test_copies_that_are_worth_as_much_as_other_neurons_are_reported(invent, judged):
    found = judged(STUDY, invent(STUDY, law(copied=True)))
    assert found.unexpected == {
        slope(called, f"{SHOWN}, all but 64 neurons are copies") for called in KERNELS.values()
    }


def test_the_error_at_the_largest_width_is_reported(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    for called in KERNELS.values():
        last = found[f"{called}, {SHOWN}: relative error at m = 4096"]
        assert last.verdict == "measured"
        assert last.measured.value == pytest.approx(1 / 64, rel=0.05)


def test_cells_that_diverged_are_flagged_and_not_fitted(invent, judged):
    rows = invent(STUDY, law())
    assert {finding.flags for finding in judged(STUDY, rows).values()} == {()}
    one = (rows["activation"] == "erf") & (rows["depth"] == 2) & (rows["repetition"] == 0)
    rows.loc[one, "state"] = "diverged"
    rows.loc[one, "tangent_error"] = 1e9
    found = judged(STUDY, rows)
    assert found.as_it_should_be
    flagged = found[slope("NTK", "erf, L = 2, biases")]
    assert (flagged.flags, flagged.measured.seeds) == (("diverged",), 9)


def test_widths_share_a_program_where_they_are_padded():
    quick, full = (STUDY.grid(STUDY.settings[tier]) for tier in ("quick", "full"))
    assert len({STUDY.shape(cell) for cell in quick}) == 2
    assert all(cell["neurons"] == cell["width"] for cell in full)


def test_copies_have_as_many_neurons_as_the_smallest_width():
    cells = STUDY.grid(STUDY.settings["quick"])
    copies = [cell for cell in cells if cell["distinct"] < cell["width"]]
    assert {cell["distinct"] for cell in copies} == {64}
    assert [cell["width"] for cell in copies] == [256, 1024, 4096]


def test_of_one_activation_alone_the_controls_are_its_own(invent, judged):
    settings = {"quick": STUDY.settings["quick"] | {"activations": ["erf"]}}
    found = judged(STUDY, invent(replace(STUDY, settings=settings), law()))
    assert found.as_it_should_be
    assert all("erf, L = 1, biases" in label for label in found.verdicts("control"))
