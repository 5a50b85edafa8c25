"""Columns solved in two precisions, against a solve of the whole matrix."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.kernels import RBF, Iterations
from featlearn.kernels._conjugate_gradients import System, solve_columns
from featlearn.kernels._pivoted import low_rank

N = 70
KERNEL = RBF(0.8)


@pytest.fixture(autouse=True, scope="module")
def _quick_compilation():
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


@jax.jit
def solve(x, right, shifts, how):
    """Without the last five rows."""
    weight = 1.0 * (jnp.arange(N) < N - 5)
    low = low_rank(KERNEL, x, weight, 30, jax.random.key(0))
    system = System(KERNEL, x, weight[:, None], weight.sum(), low)
    return solve_columns(system, right * weight[:, None], shifts, how)


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(0)
    return rng.normal(size=(N, 3)), rng.normal(size=(N, 2))


def test_columns_are_solved_each_at_its_shift(drawn):
    """In the order (λ, output); rows of weight 0 stay 0."""
    x, right = drawn
    shifts = np.array([1e-4, 1e-1, 10.0])
    found = solve(x, right, shifts, Iterations(tolerance=1e-9, steps=300))
    real = N - 5
    matrix = np.asarray(KERNEL(x[:real])) / real
    expected = [np.linalg.solve(matrix + s * np.eye(real), right[:real]) for s in shifts]
    wanted = np.concatenate(expected, axis=1)
    for ours, column in zip(np.asarray(found.alpha).T, wanted.T, strict=True):
        np.testing.assert_allclose(ours[:real], column, atol=1e-6 * np.abs(column).max())
    assert not found.alpha[real:].any()
    assert int(found.singles) < int(found.passes) <= 300


def test_passes_are_bounded_and_the_residual_is_given(drawn):
    x, right = drawn
    shifts = np.array([1e-8, 1e-7, 1e-6])
    found = solve(x, right, shifts, Iterations(tolerance=1e-9, steps=7))
    assert int(found.passes) <= 7
    real = N - 5
    matrix = np.asarray(KERNEL(x[:real])) / real
    for i, shift in enumerate(shifts):
        columns = slice(2 * i, 2 * i + 2)
        alpha = np.asarray(found.alpha)[:real, columns]
        rest = right[:real] - matrix @ alpha - shift * alpha
        np.testing.assert_allclose(found.residual[:real, columns], rest, atol=1e-6)


def test_a_shift_far_above_the_matrix_costs_no_pass(drawn):
    x, right = drawn
    found = solve(x, right, np.array([1e6, 1e7, 1e8]), Iterations())
    assert int(found.passes) == 0
    np.testing.assert_allclose(found.alpha[:5, :2], right[:5] / 1e6, rtol=1e-12)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"tolerance": 0.0}, "tolerance must lie"),
        ({"tolerance": 1e-15}, "tolerance must lie"),
        ({"steps": 0}, "steps must be"),
        ({"rank": 2.5}, "rank must be"),
        ({"group": True}, "group must be"),
    ],
)
def test_refuses(given, says):
    with pytest.raises(InvalidInputError, match=says):
        Iterations(**given)
