"""One path of the staircase: against fits one by one, closed forms, and what a kernel is told."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.engine import Cell
from featlearn.inputs import Gaussian, Hypercube, Sphere
from featlearn.kernels import DotProduct, predicted_learning, spectrum
from featlearn.studies.kernels import _staircase
from featlearn.studies.kernels._series import DEGREES, EXPONENTIAL, SERIES, TOLD, WITHOUT
from featlearn.studies.kernels.degree_staircase import run

DIM, ROWS, DRAWS = 8, 60, 4096
RIDGE, NOISE = 0.01, 0.3


def make_cell(n=ROWS, kernel="exponential", repetition=0, **changes):
    parameters = {"law": "sphere", "d": DIM, "n": n, "rows": ROWS, "kernel": kernel,
                  "ridge": RIDGE, "noise": NOISE, "draws": DRAWS, **changes}  # fmt: skip
    return Cell(study="kernels/test", version=1, repetition=repetition, parameters=parameters)


FLEET = [make_cell(n, kernel) for kernel in ("exponential", TOLD) for n in (20, ROWS)]


@pytest.fixture(scope="module")
def measured():
    outcomes = run(FLEET)
    assert {outcome.state for outcome in outcomes} == {"done"}
    return {(c.parameters["kernel"], c.parameters["n"]): o.values
            for c, o in zip(FLEET, outcomes, strict=True)}  # fmt: skip


@pytest.fixture(scope="module")
def path():
    """The points, labels and scales of the fleet's path."""
    keys = jax.tree.map(lambda a: a[0], _staircase.stacked_keys([make_cell()]))
    law = Sphere(DIM)
    x = np.asarray(law.sample(keys.data, ROWS), np.float64)
    scale = _staircase.part_scales(law)
    sign = np.asarray(jax.random.rademacher(keys.noise, (ROWS,), jnp.float32), np.float64)
    return x, np.asarray(_staircase.parts(x, scale)).sum(axis=1) + NOISE * sign, scale


def series(t, coefficients=EXPONENTIAL):
    return sum(c * t**k for k, c in enumerate(coefficients))


def test_one_factor_gives_the_ridge_fits_for_every_n():
    rng = np.random.default_rng(0)
    root, y, sizes = rng.normal(size=(12, 12)), rng.normal(size=12), [3, 7, 12]
    gram = root @ root.T
    found = np.asarray(_staircase.path_coefficients(gram, y, jnp.asarray(0.5), jnp.asarray(sizes)))
    for n, alpha in zip(sizes, found.T, strict=True):
        slow = np.linalg.solve(gram[:n, :n] + 0.5 * np.eye(n), y[:n])
        np.testing.assert_allclose(alpha[:n], slow, rtol=1e-10)
        assert np.all(alpha[n:] == 0)


@pytest.mark.parametrize("law", [Sphere(DIM), Hypercube(DIM), Gaussian(DIM)], ids=repr)
def test_the_parts_have_equal_energy_and_are_orthogonal(law):
    draws = 100_000
    x = law.sample(jax.random.key(1), draws).astype(jnp.float64)

    def standard_errors_off(scale):
        h = np.asarray(_staircase.parts(x, scale))
        products = h[:, :, None] * h[:, None, :]
        error = products.std(axis=0) / draws**0.5 + 1e-9
        return np.abs(products.mean(axis=0) - np.eye(3) / 3) / error

    assert standard_errors_off(_staircase.part_scales(law)).max() < 4
    if isinstance(law, Sphere):
        assert standard_errors_off(jnp.full(3, 3**-0.5)).max() > 20


def test_measured_shares_are_the_exact_ones_up_to_the_draws(measured, path):
    """E K(x_i, x) h_k(x) = μ_k h_k(x_i): what is measured at fresh points has a closed form."""
    x, y, scale = path
    known = spectrum(DotProduct(EXPONENTIAL), DIM, degrees=6).eigenvalues[:, 0]
    h = np.asarray(_staircase.parts(x, scale))
    for n in (20, ROWS):
        gram = series(x[:n] @ x[:n].T / DIM)
        alpha = np.linalg.solve(gram + RIDGE * np.eye(n), y[:n])
        for k in DEGREES:
            exact = 3 * known[k] * alpha @ h[:n, k - 1]
            found = measured["exponential", n][f"learned_{k}"]
            spread = (3 * measured["exponential", n]["risk"] / DRAWS) ** 0.5
            assert abs(found - exact) < 4 * spread
            assert abs(found - 3 * known[k - 1] * alpha @ h[:n, k - 1]) > 4 * spread or k == 1


def test_cells_that_differ_in_n_alone_are_one_path(measured):
    for n in (20, ROWS):
        (alone,) = run([make_cell(n)])
        assert alone.values == pytest.approx(measured["exponential", n], rel=1e-9)
    (other,) = run([make_cell(repetition=1)])
    assert other.values["risk"] != pytest.approx(measured["exponential", ROWS]["risk"], rel=1e-3)


def test_a_kernel_that_is_told_the_coordinates_sees_no_others(measured):
    told = _staircase.coordinates_seen(DIM, jnp.asarray(1.0))
    np.testing.assert_allclose(told, [(DIM / 6) ** 0.5] * 6 + [0] * (DIM - 6))
    np.testing.assert_array_equal(_staircase.coordinates_seen(DIM, jnp.asarray(0.0)), 1.0)
    assert measured[TOLD, ROWS]["learned_2"] > measured["exponential", ROWS]["learned_2"]


def test_predictions_are_those_of_the_exponential_kernel_for_every_kernel(measured):
    energies = dict.fromkeys(DEGREES, 1 / 3)
    curve = predicted_learning(DotProduct(EXPONENTIAL), DIM, 20, RIDGE / 20, NOISE, energies,
                               degrees=6)  # fmt: skip
    for kernel in ("exponential", TOLD):
        values = measured[kernel, 20]
        assert values["predicted_risk"] == pytest.approx(curve.risk[0], rel=1e-9)
        for k in DEGREES:
            assert values[f"predicted_learned_{k}"] == pytest.approx(curve.learned[0, k], rel=1e-9)
            assert values[f"wrong_learned_{k}"] != pytest.approx(curve.learned[0, k], rel=0.1)


@pytest.mark.parametrize("kernel", SERIES)
def test_a_kernel_lacks_the_degrees_that_it_is_said_to_lack(kernel):
    found = spectrum(DotProduct(SERIES[kernel]), DIM, degrees=3).eigenvalues[:, 0]
    assert {k for k in DEGREES if found[k] == 0} == set(WITHOUT.get(kernel, ()))
