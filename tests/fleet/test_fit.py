"""Fits of a fleet equal fits one by one."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.fleet import Fleet, fit_many
from featlearn.samples import Sample


class Linear(eqx.Module):
    weight: jax.Array
    record: dict

    def __call__(self, x):
        return x @ self.weight

    def features(self, x, level=1):
        return x


class LeastSquares(eqx.Module):
    """Ridge plus a little noise of the key, over the real rows."""

    penalty: float = 0.1
    power: int = eqx.field(static=True, default=1)
    wrap: object = jnp.abs

    def fit(self, sample, *, key):
        return self.fit_arrays(sample, key)

    def fit_arrays(self, sample, key):
        real = jnp.ones(sample.n) if sample.count is None else jnp.arange(sample.n) < sample.count
        x = sample.x * real[:, None]
        a = x.T @ x / real.sum() + self.wrap(self.penalty) * jnp.eye(sample.dim)
        weight = jnp.linalg.solve(a, x.T @ sample.y / real.sum())
        noise = 1e-3 * jax.random.normal(key, weight.shape)
        return Linear(weight=weight + noise, record={"rows": real.sum()})


def sample(n, seed, dim=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, dim))
    return Sample(x=jnp.asarray(x), y=jnp.asarray(x[:, 0] + 0.1 * rng.normal(size=n)))


KEYS = jax.random.split(jax.random.key(1), 3)
SAMPLES = [sample(n, n) for n in (12, 30, 17)]
POINTS = jnp.asarray(np.random.default_rng(0).normal(size=(5, 3)))


@pytest.fixture(scope="module")
def fleet():
    return fit_many(LeastSquares(), SAMPLES, KEYS)


def test_samples_of_unequal_sizes_equal_fits_one_by_one(fleet):
    assert len(fleet) == 3
    for i, (one, key) in enumerate(zip(SAMPLES, KEYS, strict=True)):
        alone = LeastSquares().fit(one, key=key)
        np.testing.assert_allclose(fleet[i].weight, alone.weight, rtol=1e-9)
        assert int(fleet[i].record["rows"]) == one.n
    padded_without_count = LeastSquares().fit(
        Sample(jnp.pad(SAMPLES[0].x, [(0, 18), (0, 0)]), jnp.pad(SAMPLES[0].y, (0, 18))),
        key=KEYS[0],
    )
    assert not np.allclose(fleet[0].weight, padded_without_count.weight, rtol=1e-3)


def test_predicts_with_every_member(fleet):
    predictions = fleet(POINTS)
    assert predictions.shape == (3, 5)
    np.testing.assert_allclose(predictions, [member(POINTS) for member in fleet], rtol=1e-12)


def test_members_by_index(fleet):
    np.testing.assert_array_equal(fleet[-1].weight, fleet[2].weight)
    for wrong in (3, -4):
        with pytest.raises(IndexError, match="3 members"):
            fleet[wrong]


def test_learners_may_differ_in_floats():
    learners = [LeastSquares(penalty=p) for p in (0.01, 1, 10.0)]
    fleet = fit_many(learners, SAMPLES[1], KEYS, block=2)
    for learner, key, fitted in zip(learners, KEYS, fleet, strict=True):
        alone = learner.fit(SAMPLES[1], key=key)
        np.testing.assert_allclose(fitted.weight, alone.weight, rtol=1e-9)
    assert not np.allclose(fleet[0].weight, fleet[2].weight, rtol=1e-1)


@pytest.mark.parametrize("other", [LeastSquares(power=2), LeastSquares(wrap=jnp.square)])
def test_refuses_learners_that_differ_in_form(other):
    with pytest.raises(InvalidInputError, match="differ in floating hyper-parameters only"):
        fit_many([LeastSquares(), LeastSquares(), other], SAMPLES, KEYS)


def test_refuses_counts_that_do_not_match():
    with pytest.raises(InvalidInputError, match="Got 2 samples for 3 keys"):
        fit_many(LeastSquares(), SAMPLES[:2], KEYS)
    with pytest.raises(InvalidInputError, match="Got 2 learners for 3 keys"):
        fit_many([LeastSquares()] * 2, SAMPLES, KEYS)


@pytest.mark.parametrize("keys", [[], jax.random.key(0)])
def test_refuses_keys_that_are_no_list(keys):
    with pytest.raises(InvalidInputError, match="a key for each member"):
        fit_many(LeastSquares(), SAMPLES, keys)


def test_refuses_samples_of_several_dimensions_and_bad_ones():
    with pytest.raises(InvalidInputError, match="same dimension"):
        fit_many(LeastSquares(), [*SAMPLES[:2], sample(17, 0, dim=4)], KEYS)
    broken = Sample(SAMPLES[0].x.at[3, 1].set(jnp.nan), SAMPLES[0].y)
    with pytest.raises(InvalidInputError, match="NaN"):
        fit_many(LeastSquares(), [broken, *SAMPLES[1:]], KEYS)


def test_samples_with_and_without_a_count_travel_together():
    counted = Sample(SAMPLES[1].x, SAMPLES[1].y, count=jnp.asarray(20))
    fleet = fit_many(LeastSquares(), [counted, SAMPLES[1]], list(KEYS[:2]))
    assert [int(f.record["rows"]) for f in fleet] == [20, 30]


def test_a_32_bit_session_gets_its_own_floats():
    with jax.enable_x64(False):
        samples = [
            Sample(jnp.asarray(s.x, jnp.float32), jnp.asarray(s.y, jnp.float32)) for s in SAMPLES
        ]
        fleet = fit_many(LeastSquares(), samples, KEYS)
        predictions = fleet(jnp.asarray(POINTS, jnp.float32))
        assert isinstance(fleet, Fleet)
        assert predictions.dtype == jnp.float32
        single = [np.asarray(POINTS) @ np.asarray(f.weight) for f in fleet]
    np.testing.assert_allclose(predictions, single, rtol=1e-5)
