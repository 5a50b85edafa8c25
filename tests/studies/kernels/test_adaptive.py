"""One cell of the adaptive study: its targets, what a learner is told, and who has which budget."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.engine import Cell
from featlearn.learners import GradientOuterProduct
from featlearn.studies.kernels import _adaptive
from featlearn.studies.kernels._learners import FIXED, ISOTROPIC, MACHINE, SINGLE
from featlearn.studies.kernels.adaptive_beats_fixed import STUDY, run

DIM, DEGREE, DRAWS = 4, 3, 200_000
SMALL = STUDY.settings["smoke"] | {
    "d": DIM, "p": DEGREE, "multiples": [4.0], "rounds": 1, "penalties": 4, "draws": 512,
}  # fmt: skip
BY_TARGET = pytest.mark.parametrize("target", [SINGLE, ISOTROPIC])


def cells_of(*learners):
    return [
        Cell(study="kernels/test", version=1, parameters=p, repetition=r)
        for p in STUDY.grid(SMALL)
        for r in range(2)
        if p["learner"] in learners
    ]


@BY_TARGET
def test_degrees_two_and_p_have_half_of_the_energy_each(target):
    z = jax.random.normal(jax.random.key(0), (DRAWS, DIM))
    h = np.asarray(_adaptive.parts(z, _adaptive.weights_of(target, DIM), DEGREE))
    products = h[:, :, None] * h[:, None, :]
    error = products.std(axis=0) / DRAWS**0.5
    assert np.all(np.abs(products.mean(axis=0) - np.eye(2) / 2) < 4 * error)


def gradient_gram(weights):
    """E ∇f ∇fᵀ and its standard error."""
    z = jax.random.normal(jax.random.key(1), (DRAWS, DIM))

    def whole(one):
        return _adaptive.parts(one[None], weights, DEGREE).sum()

    slopes = np.asarray(jax.vmap(jax.grad(whole))(z))
    products = slopes[:, :, None] * slopes[:, None, :]
    return products.mean(axis=0), products.std(axis=0) / DRAWS**0.5


def test_the_isotropic_target_has_no_direction():
    """E ∇f ∇fᵀ = (1 + p/2)/d I."""
    weights = _adaptive.weights_of(ISOTROPIC, DIM)
    expected = (1 + DEGREE / 2) / DIM * np.eye(DIM)
    gram, error = gradient_gram(weights)
    assert np.all(np.abs(gram - expected) < 4 * error)
    lopsided = weights._replace(low=weights.low.at[0].mul(1.5))
    gram, error = gradient_gram(lopsided)
    assert np.any(np.abs(gram - expected) > 10 * error)


def test_the_single_index_target_has_one():
    gram, _ = gradient_gram(_adaptive.weights_of(SINGLE, DIM))
    np.testing.assert_allclose(gram[0, 0], 1 + DEGREE / 2, rtol=0.05)
    assert np.all(gram[1:, 1:] == 0)


def test_who_is_told_the_direction_sees_nothing_else():
    u = jnp.asarray([0.6, 0.0, 0.8, 0.0])
    x = np.asarray(jax.random.normal(jax.random.key(2), (50, DIM)), np.float64)
    seen = x @ np.asarray(_adaptive.told_metric(u, jnp.asarray(1.0)))
    np.testing.assert_allclose(seen, DIM**0.5 * np.outer(x @ u, u), rtol=1e-12)
    same = x @ np.asarray(_adaptive.told_metric(u, jnp.asarray(0.0)))
    np.testing.assert_array_equal(same, x)


def test_measured_parts_are_those_of_the_predictions():
    z = jax.random.normal(jax.random.key(3), (500, DIM))
    h = _adaptive.parts(z, _adaptive.weights_of(SINGLE, DIM), DEGREE).astype(jnp.float64)
    found = _adaptive.measured(2.0 + 0.9 * h[:, 0] + 0.2 * h[:, 1], h)
    assert float(found["learned_low"]) == pytest.approx(0.9)
    assert float(found["learned_high"]) == pytest.approx(0.2)
    exact = _adaptive.measured(h.sum(axis=1), h)
    assert float(exact["risk"]) == pytest.approx(0.0, abs=1e-12)


def tables(cells):
    outcomes = run(cells)
    assert {outcome.state for outcome in outcomes} == {"done"}
    return [outcome.values for outcome in outcomes]


def test_a_fleet_is_the_cells_one_by_one_and_the_machine_reports_its_metric():
    cells = cells_of(MACHINE)
    together = tables(cells)
    for cell, values in zip(cells[1:], together[1:], strict=True):
        (alone,) = tables([cell])
        assert alone == pytest.approx(values, rel=1e-6, abs=1e-9)
    for values in together:
        assert 0 < values["metric_inside"] <= 1
        assert 0 < values["gradients_inside"] <= 1
        assert values["round_0"] == 1
        assert values["round"] in (0, 1)


def test_fixed_kernels_have_no_metric_and_told_ones_do_better():
    cells = [c for c in cells_of("RBF") if c.parameters["target"] == SINGLE]
    plain, told = [], []
    for cell, values in zip(cells, tables(cells), strict=True):
        assert "metric_inside" not in values
        (told if cell.parameters["told"] else plain).append(values["risk"])
    assert max(told) < min(plain)


class Spy(eqx.Module):
    """A learner that shows the sample it was given."""

    seen: list = eqx.field(static=True)

    def fit_arrays(self, sample, key):
        self.seen.append((np.asarray(sample.x), np.asarray(sample.y)))
        raise StopIteration


def given(cell):
    spy = Spy([])
    keys = jax.tree.map(lambda a: a[0], _adaptive.stacked_keys([cell]))
    p = cell.parameters
    attempt = _adaptive.Attempt(spy, p["d"], p["p"], p["n"], p["draws"])
    with pytest.raises(StopIteration):
        attempt(_adaptive.weights_of(p["target"], p["d"]), jnp.asarray(0.0), jnp.asarray(0.3), keys)
    return spy.seen[0]


def test_all_learners_are_given_the_same_sample():
    first, *others = [c for c in cells_of(MACHINE, *FIXED) if c.repetition == 0]
    x, y = given(first)
    for other in others:
        same_x, same_y = given(other)
        np.testing.assert_array_equal(same_x, x)
        same = other.parameters["target"] == SINGLE
        assert np.array_equal(same_y, y) == same


def test_every_learner_has_the_same_budget():
    for parameters in STUDY.grid(STUDY.settings["quick"]):
        learner = _adaptive.make_learner(parameters)
        assert len(learner.rule.penalties) == 11
        fits = 8 if not isinstance(learner, GradientOuterProduct) else 2
        assert jax.tree.leaves(learner.kernels)[0].shape[0] == fits
        if fits == 2:
            assert fits * (learner.rounds + 1) == 8
