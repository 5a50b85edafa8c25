"""The head: ridge by either side, λ by validation, and the same by literal descent."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.learners import OneStep
from featlearn.learners._head import HeadRule, gradient_head, head_moments, ridge_head
from featlearn.learners._split import split_rows
from featlearn.samples import Sample


@pytest.fixture(scope="module")
def split(fitted, easy):
    return split_rows(Sample(fitted.features(easy.sample.x), easy.sample.y))


def identity(h):
    return h


@pytest.fixture(scope="module")
def two_moments(split):
    return jax.jit(lambda: head_moments(identity, 32, split))()


def test_moments_are_averages_over_their_own_rows(two_moments, fitted, easy):
    h, y = np.asarray(fitted.features(easy.sample.x), np.float64), easy.sample.y
    for got, rows in zip(two_moments, (slice(320), slice(320, None)), strict=True):
        np.testing.assert_allclose(got.gram, h[rows].T @ h[rows] / len(h[rows]), rtol=1e-10)
        np.testing.assert_allclose(got.cross[:, 0], h[rows].T @ y[rows] / len(h[rows]), rtol=1e-9)
        np.testing.assert_allclose(got.square, np.mean(y[rows] ** 2), rtol=1e-10)


def test_lambda_minimises_the_validation_error(fitted, easy, ridge, grid):
    x = np.asarray(easy.sample.x, np.float64)
    rest = easy.sample.y - np.asarray(fitted.constant) - x @ np.asarray(fitted.linear)[:, 0]
    path = ridge(fitted.features(easy.sample.x), rest, grid)
    np.testing.assert_allclose(fitted.record["validation"], path.errors, rtol=1e-6)
    assert fitted.record["penalty"] == grid[path.best]
    assert fitted.record["grid_edge"] == 0
    assert 0 < path.best < len(grid) - 1


@pytest.mark.parametrize(("side", "grid"), [(-1, (1e2, 1e4)), (1, (1e-9, 1e-8))])
def test_tells_that_the_best_lambda_lies_at_an_edge(side, grid, easy):
    """Much noise on many features wants a large λ; little wants a small one."""
    rng = np.random.default_rng(0)
    h = rng.normal(size=(100, 30))
    y = h[:, 0] if side < 0 else rng.normal(size=100)
    record = jax.jit(lambda s: ridge_head(identity, 30, split_rows(s), grid).record())(Sample(h, y))
    assert record["grid_edge"] == side
    assert record["penalty"] == (grid[0] if side < 0 else grid[1])


@pytest.mark.parametrize("rows", [20, 300], ids=["rows", "features"])
def test_either_side_solves_the_same_ridge(rows, ridge, grid):
    rng = np.random.default_rng(1)
    h = rng.normal(size=(rows, 50)).astype(np.float32)
    y = h[:, :2] + 0.3 * rng.normal(size=(rows, 2))
    path = jax.jit(lambda s: ridge_head(identity, 50, split_rows(s), grid))(Sample(h, y))
    by_hand = ridge(h, y, grid)
    np.testing.assert_allclose(path.validation, by_hand.errors, rtol=1e-7)
    np.testing.assert_allclose(path.coefficients, by_hand.heads[by_hand.best], atol=1e-8)


@pytest.fixture(scope="module")
def descent(two_moments):
    start = jnp.ones((32, 1))
    return jax.jit(lambda penalty, steps: gradient_head(two_moments[0], penalty, start, steps))


def test_descent_ends_at_ridge(descent, two_moments):
    gram, cross = np.asarray(two_moments[0].gram), np.asarray(two_moments[0].cross)
    a, residual, taken = descent(0.01, 200_000)
    wanted = np.linalg.solve(gram + 0.01 * np.eye(32), cross)
    assert np.abs(a - wanted).max() < 1e-6 * np.abs(wanted).max()
    assert residual <= 1e-10
    assert 10 < taken < 200_000
    halved = np.linalg.solve(gram + 0.005 * np.eye(32), cross)
    assert np.abs(a - halved).max() > 1e-3 * np.abs(wanted).max()


def test_descent_takes_the_literal_steps(descent, two_moments, split):
    """Three steps of a ← a − η ∇(mean (Ha − y)² + λ|a|²), differentiated as written."""
    h, y = np.asarray(split.train.x, np.float64), np.asarray(split.train.y)
    rate = 0.5 / (np.linalg.eigvalsh(h.T @ h / len(h))[-1] + 0.1)
    a = np.ones((32, 1))
    loss = jax.grad(lambda a: jnp.mean((h @ a - y) ** 2) + 0.1 * jnp.sum(a**2))
    for _ in range(3):
        a = a - rate * np.asarray(loss(a))
    got, residual, taken = descent(0.1, 3)
    np.testing.assert_allclose(got, a, rtol=1e-8)
    assert taken == 3
    assert residual > 1e-3


@pytest.fixture(scope="module")
def descended(learner, easy, key):
    """The shared fit with a literal head of 100 steps."""
    other = OneStep(
        32, penalties=learner.penalties, estimate_rank=False, head="gradient", head_steps=100
    )
    return other.fit(easy.sample, key=key)


def test_a_head_stopped_early_says_so(descended, fitted):
    assert descended.record["head_steps"] == 100
    assert descended.record["head_residual"] > 1e-6
    np.testing.assert_allclose(descended.record["penalty"], fitted.record["penalty"])
    np.testing.assert_allclose(descended.weight, fitted.weight, rtol=1e-4, atol=1e-6)
    assert "head_steps" not in fitted.record


def test_the_default_budget_reaches_ridge(descended, fitted, easy):
    """Continue the stopped fit's head on its own features."""
    features = Sample(descended.features(easy.sample.x), easy.sample.y)
    grid = (0.01, 0.1, 1.0)
    start = jnp.asarray(descended.head)

    def heads(sample):
        rows = split_rows(sample)
        literal = HeadRule(kind="gradient", penalties=grid).fit(identity, rows, start)
        return literal, HeadRule(penalties=grid).fit(identity, rows, start)

    (a, record), (wanted, _) = jax.jit(heads)(features)
    assert np.abs(a - wanted).max() < 1e-6 * np.abs(wanted).max()
    assert record["head_residual"] <= 1e-10
    assert 0 < record["head_steps"] < 200_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "sgd"}, "head must be"),
        ({"penalties": (0.0,)}, "positive"),
        ({"penalties": (float("inf"),)}, "positive"),
        ({"steps": 0}, "at least 1"),
    ],
)
def test_refuses(options, message):
    with pytest.raises(InvalidInputError, match=message):
        HeadRule(**options)
