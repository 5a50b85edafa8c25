"""Rounds of least squares on toy (d): closed forms, and one pair of variables by hand."""

import jax
import numpy as np
import pytest

from featlearn.engine import Cell
from featlearn.inputs import Gaussian, Uniform
from featlearn.studies.hierarchy._rounds import (
    _quadrature,
    central_moments,
    form_error,
    measure,
    run_rounds,
)
from featlearn.targets import toy

ROUNDS = 9


def one_pair(alpha: float, rounds: int, *, joint: bool = True) -> list[float]:
    """The error in (x_1, x_3) alone, on a fine grid: terms and formulas written out."""
    nodes, mass = np.polynomial.legendre.leggauss(24)
    a, b = (m.ravel() for m in np.meshgrid(nodes * 3**0.5, nodes * 3**0.5))
    root = np.sqrt(np.outer(mass, mass).ravel() / 4)
    u, v = a**2 - 1, b**2 - 1
    g, form = u**2 + alpha * (u**2 + b) ** 2, [u * u, u * v, v * v]
    q, errors = None, []
    for _ in range(rounds + 1):
        terms = [*form, np.ones_like(u)] + ([] if q is None else [q * q, q * b, b * b])
        if q is None or joint:
            c = np.linalg.lstsq(np.stack(terms, 1) * root[:, None], g * root, rcond=None)[0]
            q = c[0] * u * u + c[1] * u * v + c[2] * v * v
        errors.append(float(np.sqrt(np.sum((root * (q - u * u)) ** 2))))
    return errors


@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_both_pairs_do_what_one_pair_does(alpha: float) -> None:
    """The constant keeps the pairs apart: with errors in quadrature, both are one."""
    forms = run_rounds(_quadrature(alpha, "uniform"), 5, joint=True)
    second, fourth = central_moments("uniform")
    scale = np.sqrt(2 * fourth + 2 * second**2)
    for c, error in zip(forms, one_pair(alpha, 5), strict=True):
        first = dict(zip(zip(*np.triu_indices(4), strict=True), c, strict=True))
        pair = [first[0, 0] - 1, first[0, 2], first[2, 2]]
        both = first[1, 1] - 1, first[1, 3], first[3, 3]
        np.testing.assert_allclose(pair, both, atol=1e-10)
        # E(Σ)² over two pairs: twice one pair's, and the product of the means
        mean = pair[0] * second + pair[2] * second
        expected = np.sqrt(2 * error**2 + 2 * mean**2) / scale
        assert form_error(c, "uniform") == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_the_factor_is_that_of_the_slowest_error() -> None:
    """2α E u⁴/E u² once the other errors have died; frozen layers have a factor of 1."""
    assert 2 * np.divide(*central_moments("uniform")[::-1]) == pytest.approx(24 / 7)
    assert 2 * np.divide(*central_moments("gaussian")[::-1]) == pytest.approx(60)
    for law, alpha, rate in (("uniform", 0.1, 24 / 7), ("gaussian", 0.005, 60.0)):
        forms = run_rounds(_quadrature(alpha, law), ROUNDS, joint=True)
        errors = [form_error(c, law) for c in forms]
        assert errors[-1] / errors[-2] == pytest.approx(rate * alpha, rel=0.01)
        assert errors[-1] / errors[-2] != pytest.approx(rate * alpha / 2, rel=0.2)
    frozen = run_rounds(_quadrature(0.1, "uniform"), 2, joint=False)
    np.testing.assert_array_equal(frozen[0], frozen[2])


@pytest.mark.parametrize("law", ["uniform", "gaussian"])
def test_errors_of_forms_and_moments_by_draws(law: str) -> None:
    inputs = Uniform(4) if law == "uniform" else Gaussian(4)
    x = np.asarray(inputs.sample(jax.random.key(0), 200_000), np.float64)
    u, c = x**2 - 1, np.random.default_rng(1).normal(size=10)
    rows, columns = np.triu_indices(4)
    true = u[:, 0] ** 2 + u[:, 1] ** 2
    off = u[:, rows] * u[:, columns] @ c - true
    by_draws = np.sqrt(np.mean(off**2) / np.mean(true**2))
    assert form_error(c, law) == pytest.approx(by_draws, rel=0.05)


def test_labels_are_the_toy() -> None:
    data = _quadrature(0.2, "uniform")
    np.testing.assert_allclose(data.y, toy("quartic", 4, 0.2)(data.x))
    assert data.weight.sum() == pytest.approx(1)


def test_a_cell_reports_every_round_and_is_its_seeds() -> None:
    def cell(repetition: int, **change: object) -> Cell:
        whole = {"alpha": 0.1, "n": 500, "law": "uniform", "joint": True, "rounds": ROUNDS}
        return Cell(study="s", version=1, parameters=whole | change, repetition=repetition)

    one, same, other = (measure([cell(r)])[0].values for r in (0, 0, 1))
    assert one == same
    assert one["error_0"] != other["error_0"]
    assert one["late_factor"] == pytest.approx((one["error_9"] / one["error_6"]) ** (1 / 3))
    alone = measure([cell(0, joint=False)])[0].values
    assert alone["factor"] == alone["late_factor"] == 1
    assert alone["error_0"] == one["error_0"]
