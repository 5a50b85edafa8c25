"""The claim from invented searches, and single cells of every kind."""

import jax
import numpy as np
import pytest

from featlearn.engine import Cell
from featlearn.inputs import Hypercube
from featlearn.networks import Dense, Description, Gate, Skip, gated
from featlearn.studies.beyond import _described, _gated
from featlearn.studies.beyond.gated_dense import (
    NETWORKS,
    PLAIN,
    STUDY,
    TANGENT,
    TWIN,
    chosen,
    line_of,
    run,
)
from featlearn.targets import pair_products

LINE = 0.72


def law(plain=0.01, twin=0.2, tangent=1.9, kernel=1.4):
    """Errors over kα² at the best learning rate, and twice as much elsewhere."""
    share = {PLAIN: plain, TWIN: twin, TANGENT: tangent}

    def values(p, luck):
        error = LINE * share.get(p.learner, kernel) * luck * (2 if p.rate == 0.04 else 1)
        found = {"risk": error, "validation": error}
        return found | ({"training": 0.0} if p.learner in NETWORKS else {})

    return values


def test_a_twin_near_its_network_is_what_the_claim_says(invent, judged):
    rows = invent(STUDY, law())
    assert line_of(rows) == pytest.approx(LINE)
    found = judged(STUDY, rows)
    assert found.as_it_should_be
    assert (len(found.verdicts("claim")), len(found.verdicts("control"))) == (4, 1)


def test_a_twin_that_misses_g_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(twin=1.0)))
    assert found.unexpected == {
        "N = 1600: gated, error over kα²",
        "N = 1600: gated less ResNet, over kα²",
    }


def test_a_kernel_that_learns_g_and_a_tangent_model_that_does_fail(invent, judged):
    found = judged(STUDY, invent(STUDY, law(tangent=0.1, kernel=0.3)))
    assert len(found.unexpected) == 3


def test_smaller_samples_are_reported_without_a_verdict(invent, judged):
    rows = invent(STUDY, law(), tier="full")
    found = judged(STUDY, rows)
    assert found["N = 1000: gated, error over kα²"].role == "measurement"
    assert found["N = 8000: gated, error over kα²"].role == "claim"


def test_settings_that_diverged_are_never_chosen(invent):
    rows = invent(STUDY, law())
    rows.loc[rows["rate"] == 0.02, "state"] = "diverged"
    best = chosen(rows)
    assert set(best.loc[best["learner"].isin(NETWORKS), "rate"]) == {0.04}


def test_with_thirty_dimensions_the_target_is_the_documents():
    task = _gated.make_task({"d": 30, "alpha": 0.3})
    x = Hypercube(30).sample(jax.random.key(0), 20)
    np.testing.assert_allclose(task.target(x), pair_products("slides", 0.3)(x), rtol=1e-6)


def test_the_description_is_the_residual_network_and_its_twin_has_gates():
    plain = _gated.residual_description(16, 10, 8)
    assert plain.shapes == ((16,), (10,), (8,), (8,))
    p = {"d": 16, "width": 10, "epochs": 1, "sharpness": 3.0}
    assert _gated.make_descent(p | {"learner": PLAIN}).description == plain
    twin = _gated.make_descent(p | {"learner": TWIN})
    assert (twin.description, twin.tangent) == (gated(plain, Gate(3.0)), False)
    assert _gated.make_descent(p | {"learner": TANGENT}).tangent


def test_hidden_layers_alone_can_be_trained():
    layers = (Dense(4, "relu"), Dense(2), Skip(Dense(3, Gate()), Dense(2)))
    assert _described.hidden_parts(layers) == (1.0, 0.0, (1.0, 0.0))
    description = Description(3, *layers)
    x = jax.random.normal(jax.random.key(1), (20, 3), np.float32)
    sample = _described.Sample(x, x[:, :2])
    descent = _described.Descent(description, 2, batch=10)
    trained, _ = descent(sample, 0.1, 0.0, jax.random.key(0))
    start = trained.start.trained
    np.testing.assert_array_equal(trained.weights[1]["weight"], start[1]["weight"])
    assert np.abs(trained.weights[0]["weight"] - start[0]["weight"]).max() > 1e-4
    gate = trained.start.at(trained.weights).frozen[2][0]["weight"]
    np.testing.assert_array_equal(gate, start[2][0]["weight"])


def gated_cell(learner, rate=0.05, width=12):
    parameters = {"learner": learner, "d": 16, "alpha": 0.3, "n": 100, "width": width, "epochs": 5,
                  "rate": rate, "decay": 0.0, "sharpness": 4.0, "draws": 64}  # fmt: skip
    return Cell(study="beyond/test", version=1, repetition=0, parameters=parameters)


def test_a_rate_that_is_too_large_diverges_alone():
    good, bad = run([gated_cell(TANGENT), gated_cell(TANGENT, rate=1e4)])
    assert (good.state, bad.state) == ("done", "diverged")
    assert 0 < good.values["training"] < 8.72 * 1.5
    assert good.values["risk"] > 1


def test_a_kernel_is_fitted_to_the_same_rows():
    (outcome,) = run([gated_cell("residual NTK", width=0)])
    assert outcome.state == "done"
    assert 1 < outcome.values["risk"] < 12
