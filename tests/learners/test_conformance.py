"""Every public learner keeps the contract, and padding changes nothing."""

import inspect
from functools import lru_cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn import learners
from featlearn.kernels import RBF, Iterations
from featlearn.samples import Sample
from featlearn.testing import check_learner

GRID = (1e-2, 1e-1, 1.0)


def network(params, x):
    return jnp.tanh(x @ params[0]) @ params[1]


def drawn(key, dim):
    one, other = jax.random.split(key)
    return jax.random.normal(one, (dim, 8)) / 2, jax.random.normal(other, (8,)) / 3


LEARNERS = {
    "OneStep": learners.OneStep(8, penalties=GRID),
    "RandomFeatures": learners.RandomFeatures(8, penalties=GRID),
    "KernelRidge": learners.KernelRidge([RBF(1.0), RBF(2.0)], penalties=GRID),
    "GradientOuterProduct": learners.GradientOuterProduct(2, bandwidths=(1.0, 2.0), penalties=GRID),
    "SequentialKernels": learners.SequentialKernels(RBF(1.0), 2, penalties=GRID),
    "Tangent": learners.Tangent(network, drawn, penalties=GRID),
    "Residual": learners.Residual(8, epochs=2, batch=10),
    "FullyConnected": learners.FullyConnected(3, 8, epochs=2, batch=10),
    "PHd": learners.PHd(8, penalties=GRID),
    "SIR": learners.SIR(8, slices=4, penalties=GRID),
    "SAVE": learners.SAVE(8, slices=4, penalties=GRID),
    "Dense": learners.Dense((6, 4), steps=30, batch=10),
}
VARIANTS = {
    "KernelRidge by Cholesky": learners.KernelRidge(RBF(1.0), penalties=GRID, solver="cholesky"),
    "KernelRidge by iterations": learners.KernelRidge(
        RBF(1.0), penalties=GRID, solver="iterative", iterations=Iterations(tolerance=1e-7, rank=20)
    ),
    "RandomFeatures of a kernel": learners.RandomFeatures(8, RBF(1.0), penalties=GRID),
    "SequentialKernels by eigenfunctions": learners.SequentialKernels(
        RBF(1.0), 2, hand_on="eigenfunctions", features=3, penalties=GRID
    ),
}
EVERY = {n: learner for n, learner in (LEARNERS | VARIANTS).items() if n != "Dense"}  # no λ
ELSEWHERE = {"Hierarchical"}  # is given the kit in its own file, in float64 and with its options
N, SHORT = 60, 45  # the sizes that the kit fits too: compiled once for both


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, 4)).astype(np.float32)
    return Sample(x, x[:, 0] ** 2 + x[:, 1] + 0.1 * rng.normal(size=N))


def test_no_public_learner_is_forgotten():
    public = {
        name
        for name in learners.__all__
        if inspect.isclass(thing := getattr(learners, name))
        and hasattr(thing, "fit_arrays")
        and not getattr(thing, "_is_protocol", False)
    }
    assert public == {type(learner).__name__ for learner in LEARNERS.values()} | ELSEWHERE


@pytest.mark.parametrize("name", LEARNERS)
def test_keeps_the_contract(name, sample, key):
    check_learner(LEARNERS[name], sample, key=key, tolerance=1e-4)


@lru_cache
def padded_fits(name):
    """Fits of padded samples, one for each (rows, count); compiled once."""

    def one(x, y, count, key):
        fit = EVERY[name].fit_arrays(Sample(x, y, count), key)
        return fit(x), fit.record["validation"]

    return eqx.filter_jit(jax.vmap(one, in_axes=(0, 0, 0, None)))


@pytest.mark.parametrize("name", EVERY)
def test_padded_rows_do_not_exist(name, sample, key):
    counts = np.array([N, SHORT, N, SHORT, 41, 41, 54, 54])
    garbage = np.array([0, 0, 50, 50, 0, 50, 0, 50], np.float32)
    rest = np.arange(N + 3)[:, None] >= counts[:, None, None]
    x = np.pad(sample.x, [(0, 3), (0, 0)])
    y = np.pad(sample.y, (0, 3))
    x = np.where(rest, garbage[:, None, None], x).astype(np.float32)
    y = np.where(rest[..., 0], garbage[:, None], y)
    shown, errors = padded_fits(name)(jnp.asarray(x), jnp.asarray(y), jnp.asarray(counts), key)
    alone = {n: EVERY[name].fit(Sample(sample.x[:n], sample.y[:n]), key=key) for n in (N, SHORT)}
    for member in range(4):
        n = counts[member]
        wanted = np.asarray(alone[n](sample.x[:n]))
        np.testing.assert_allclose(shown[member, :n], wanted, atol=1e-4 * np.abs(wanted).max())
        np.testing.assert_allclose(errors[member], alone[n].record["validation"], rtol=1e-3)
    for zeros, fives in ((4, 5), (6, 7)):
        n = counts[zeros]
        np.testing.assert_allclose(shown[zeros, :n], shown[fives, :n], rtol=1e-4, atol=1e-4)
    assert np.abs(shown[4, :41] - shown[6, :41]).max() > 1e-2
