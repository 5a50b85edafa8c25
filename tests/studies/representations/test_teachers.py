"""Teachers against Gauss–Hermite quadrature: E f*² and H = E f*(z)(zzᵀ − I)."""

from itertools import product

import numpy as np
import pytest

from featlearn.studies.representations._teachers import terms_of
from featlearn.targets import hermite

TEACHERS = [
    *({"form": "representation", "p": p} for p in (2, 3, 4, 5)),
    *({"form": "hermite", "p": p} for p in (3, 4, 5)),
    *({"form": "multi", "r": r, "kappa": k} for r in (1, 2, 3) for k in (1.0, 3.0)),
    *({"form": "degenerate", "r": r, "kappa": k} for r in (2, 3) for k in (1.0, 3.0)),
]


def parameters(teacher):
    return {"p": 3, "r": 1, "kappa": 1.0, **teacher}


def quadrature(teacher):
    """Points z, their weights and f*(z): exact for polynomials up to degree 15 in each z_j."""
    terms = terms_of(parameters(teacher))
    nodes, weights = np.polynomial.hermite_e.hermegauss(8)
    r = len(terms[0][0])
    z = np.array([*product(nodes, repeat=r)])
    w = np.prod([*product(weights / weights.sum(), repeat=r)], axis=1)
    indices, coefficients = zip(*terms, strict=True)
    return z, w, hermite.evaluate(z, indices, np.array(coefficients))


def hessian(teacher):
    z, w, f = quadrature(teacher)
    return (z * (w * f)[:, None]).T @ z - (w @ f) * np.eye(z.shape[1])


@pytest.mark.parametrize("teacher", TEACHERS, ids=str)
def test_every_teacher_has_mean_0_and_second_moment_1(teacher):
    _, w, f = quadrature(teacher)
    assert w @ f == pytest.approx(0.0, abs=1e-10)
    assert w @ f**2 == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize("p", [3, 4, 5])
def test_without_a_second_degree_part_the_hessian_is_0(p):
    assert np.abs(hessian({"form": "hermite", "p": p})).max() < 1e-10


@pytest.mark.parametrize(("r", "kappa"), [*product((2, 3, 4), (1.0, 3.0)), (1, 1.0)])
def test_of_several_directions_the_hessian_sees_all_with_its_condition(r, kappa):
    h = hessian({"form": "multi", "r": r, "kappa": kappa})
    values = np.linalg.svd(h, compute_uv=False)
    assert values[0] / values[-1] == pytest.approx(kappa)
    assert (h**2).sum() / 2 == pytest.approx(0.5)  # the energy of the quadratic part


@pytest.mark.parametrize(("r", "kappa"), [*product((2, 3, 4), (1.0, 3.0))])
def test_of_a_degenerate_teacher_the_hessian_misses_the_last_direction_alone(r, kappa):
    teacher = {"form": "degenerate", "r": r, "kappa": kappa}
    h = hessian(teacher)
    assert np.abs(h[-1]).max() < 1e-10
    assert np.linalg.matrix_rank(h, tol=1e-8) == r - 1
    z, w, f = quadrature(teacher)
    third = w @ (f * (z[:, -1] ** 3 - 3 * z[:, -1]))
    assert third == pytest.approx(6 * r**-1.5 / 12**0.5)


def test_half_of_the_energy_is_of_the_second_degree():
    for p in (3, 4, 5):
        assert hessian({"form": "representation", "p": p})[0, 0] ** 2 / 2 == pytest.approx(0.5)
