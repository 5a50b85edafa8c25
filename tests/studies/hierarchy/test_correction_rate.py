"""What the rows of `hierarchy/correction-rate` say: proportional, stalled, and neither."""

import pytest

from featlearn.studies.hierarchy.correction_rate import STUDY


def law(power: float = 1.0, frozen: float = 1.0):
    """Factors (24α/7)^power, and `frozen` where layer 2 is not fitted again."""

    def values(p, luck):
        rate = 60.0 if p.law == "gaussian" else 24 / 7
        factor = (rate * p.alpha) ** power * luck if p.joint else frozen
        factor = min(factor, 1.02) if p.joint else factor
        errors = {f"error_{at}": 3.5 * p.alpha * factor**at for at in range(p.rounds + 1)}
        return {**errors, "factor": factor, "late_factor": factor}

    return values


def test_the_law_of_the_notes_holds_and_its_controls_fail(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    assert len(found.verdicts("claim")) == len(found.verdicts("control")) == 2
    slope = found["slope of log(factor of a round) in log α, α ≤ 0.1"].measured
    assert slope.value == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("power", [0.5, 2.0])
def test_another_power_fails(invent, judged, power):
    found = judged(STUDY, invent(STUDY, law(power)))
    assert found["slope of log(factor of a round) in log α, α ≤ 0.1"].verdict == "fails"


def test_rounds_that_go_on_contracting_are_no_stall(invent, judged):
    rows = invent(STUDY, law())
    rows.loc[rows["alpha"] == 0.3, "late_factor"] = 0.5
    found = judged(STUDY, rows)
    assert found["α = 0.3: factor of a late round"].verdict == "fails"


def test_a_control_that_corrects_is_reported(invent, judged):
    rows = invent(STUDY, law())
    alone = ~rows["joint"].astype(bool)
    rows.loc[alone, "factor"] = 3.4 * rows.loc[alone, "alpha"]
    assert judged(STUDY, rows).unexpected == {
        "layer by layer: slope of log(factor of a round) in log α, α ≤ 0.1"
    }


def test_the_whole_law_is_reported_without_an_interval(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    finding = found["gaussian inputs, whole law, α = 0.005: factor of a late round"]
    assert finding.role == "measurement"
    assert finding.measured.low == finding.measured.high


def test_the_figure_is_drawn(invent):
    assert len(STUDY.figure(invent(STUDY, law())).axes) == 2
