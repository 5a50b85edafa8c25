"""What the rows of `hierarchy/parity` say, and one training of two steps."""

import jax
import numpy as np
import pytest

from featlearn.engine import Cell
from featlearn.studies.hierarchy._parities import measure, training
from featlearn.studies.hierarchy.parity import STUDY, best_rates


def law(high: float = 1.0, low: float = 1e-3, built: float = 0.0):
    """Risks of trained networks at the highest degree and below, and of those built by hand."""

    def values(p, luck):
        if p.network == "one layer fewer":
            return {"risk": 2.0 * luck}
        if p.network == "by construction":
            return {"risk": built}
        worse = 1.5 if p.rate == 0.03 else 1.0
        return {"risk": worse * luck * (high if p.degree == 8 else low)}

    return values


def test_the_statement_holds_and_its_controls_fail(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    assert len(found.verdicts("claim")) == 5
    assert len(found.verdicts("control")) == 2
    assert len(found.verdicts("measurement")) == 3


def test_a_parity_that_is_found_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(high=0.3)))
    assert found["degree 8, noisy labels: risk after training"].verdict == "fails"


def test_a_network_that_is_not_the_parity_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(built=0.1)))
    assert found["degree 16: risk of the network by construction"].verdict == "fails"


def test_a_budget_in_which_nothing_is_found_is_reported(invent, judged):
    found = judged(STUDY, invent(STUDY, law(low=1.0)))
    assert found.unexpected == {"degree 2, noisy labels: risk after training"}


def test_every_seed_has_its_best_rate_and_lost_ones_do_not_count(invent):
    rows = invent(STUDY, law())
    trained = rows[rows["network"] == "trained"].copy()
    assert set(best_rates(trained)["rate"]) == {0.01}
    trained.loc[trained["rate"] == 0.01, "state"] = "diverged"
    assert set(best_rates(trained)["rate"]) == {0.03}


def test_the_figure_is_drawn(invent):
    assert len(STUDY.figure(invent(STUDY, law())).axes) == 1


def cell(repetition: int = 0, **change: object) -> Cell:
    parameters = {
        "network": "trained", "d": 8, "degree": 2, "noise": 0.5, "rate": 0.01,
        "widths": [8, 4], "steps": 2, "batch": 16, "draws": 64,
    }  # fmt: skip
    return Cell(study="s", version=1, parameters=parameters | change, repetition=repetition)


def test_cells_of_several_degrees_are_one_program():
    cells = [cell(degree=2), cell(degree=4), cell(degree=4, noise=0.0), cell(1, degree=4)]
    assert len({STUDY.shape(c.parameters) for c in cells}) == 1
    risks = [outcome.values["risk"] for outcome in measure(cells)]
    assert len(set(risks)) == 4
    alone = measure([cells[1]])[0].values["risk"]
    assert alone == pytest.approx(risks[1], rel=1e-5)
    assert all(np.isfinite(risks))


def test_the_learning_rate_of_a_cell_is_used():
    frozen = training(cell().parameters).learner
    assert len(jax.tree.leaves(frozen.optimiser.rate)) == 1
    slow, fast = (measure([cell(rate=r)])[0].values["risk"] for r in (1e-6, 0.1))
    assert slow != fast


def test_networks_built_by_hand():
    exact = measure([cell(network="by construction", degree=8)])[0].values["risk"]
    less = measure([cell(network="one layer fewer", degree=8)])[0].values["risk"]
    assert exact == 0
    assert less == pytest.approx(2, abs=1)
