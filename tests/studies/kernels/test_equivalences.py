"""The comparisons against ridge by plain linear algebra, and what a fleet reports of them."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.engine import Cell
from featlearn.kernels import NTK, Conjugate, Polynomial, random_features
from featlearn.samples import Sample
from featlearn.studies.kernels import _equivalences
from featlearn.studies.kernels._equivalences import OfFeatures, Problem
from featlearn.studies.kernels._ridge_cells import COMPARED, cell, run
from featlearn.studies.kernels.linear_is_ridge import CLAIMS, CONTROLS

RNG = np.random.default_rng(0)
SAMPLE = Sample(
    jnp.asarray(RNG.normal(size=(30, 3)), jnp.float32), jnp.asarray(RNG.normal(size=30))
)
NEW = jnp.asarray(RNG.normal(size=(7, 3)), jnp.float32)
PROBLEM = Problem(SAMPLE, NEW, penalty=0.02, width=8)
KEY = jax.random.key(3)


def plain_ridge(kernel, y, penalty=0.02):
    """α = (K + nλI)⁻¹y over the first four fifths."""
    x, n = np.asarray(SAMPLE.x, np.float64)[:24], 24
    alpha = np.linalg.solve(kernel(x, x) + n * penalty * np.eye(n), np.asarray(y)[:24])
    return kernel(np.asarray(NEW, np.float64), x) @ alpha


def test_the_kernel_s_side_is_plain_linear_algebra():
    found = eqx.filter_jit(lambda p: p.by_kernel(Polynomial(1, 1.0)))(PROBLEM)
    right = plain_ridge(lambda x, y: x @ y.T / 3 + 1, SAMPLE.y)
    np.testing.assert_allclose(found, right, rtol=1e-9)
    off = plain_ridge(lambda x, y: x @ y.T / 3 + 1, SAMPLE.y, 0.02 / 24)
    assert _equivalences.apart(jnp.asarray(off), jnp.asarray(right)) > 1e-3


def test_learners_train_on_the_first_four_fifths():
    assert (PROBLEM.train.n, PROBLEM.held_out.n) == (24, 6)
    np.testing.assert_array_equal(PROBLEM.held_out.y, SAMPLE.y[24:])


def test_a_kernel_of_features_is_their_inner_products():
    phi = random_features(NTK(1, bias_variance=0.5), 8, KEY, dim=3)
    x = SAMPLE.x.astype(jnp.float64)
    rows, kernel = np.asarray(phi(x)), OfFeatures(phi)
    np.testing.assert_allclose(kernel.between(x, x), rows @ rows.T, rtol=1e-12)
    np.testing.assert_allclose(kernel.at(x), np.diag(rows @ rows.T), rtol=1e-12)


def test_the_network_is_that_of_the_ntk():
    """The mean of f² over many draws is the conjugate kernel."""
    x = SAMPLE.x[:4].astype(jnp.float64)

    @jax.jit
    @jax.vmap
    def each(key):
        return _equivalences.network(_equivalences.draw(key, 3, 8), x)

    f = np.asarray(each(jax.random.split(KEY, 600)))
    wanted = np.asarray(Conjugate(1, bias_variance=_equivalences.BIAS).diagonal(x))
    error = (f**2).std(0) / np.sqrt(len(f))
    assert np.all(np.abs((f**2).mean(0) - wanted) < 4 * error)
    assert np.any(np.abs((f**2).mean(0) - (wanted - _equivalences.BIAS)) > 4 * error)


def make_cell(compared, repetition=0):
    parameters = cell(compared, n=40, d=3, width=8, penalty=1e-2, draws=16)
    return Cell(study="kernels/test", version=1, repetition=repetition, parameters=parameters)


@pytest.fixture(scope="module", params=COMPARED)
def measured(request):
    fleet = [make_cell(request.param, r) for r in range(2)]
    return request.param, [outcome.values for outcome in run(fleet)]


def test_a_comparison_reports_its_claims_and_its_controls(measured):
    compared, found = measured
    extra = {"same_choice"} if compared == "path" else set()
    for values in found:
        assert set(values) == {*CLAIMS[compared], *CONTROLS[compared], *extra}
        assert all(values[name] < 1e-6 for name in CLAIMS[compared])
        assert all(values[name] > 1e-4 for name in CONTROLS[compared])
    assert found[0] != found[1]
