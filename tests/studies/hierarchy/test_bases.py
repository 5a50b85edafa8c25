"""First layers on toy (a): gradients, errors and spans against slow and closed forms."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.engine import Cell
from featlearn.studies.hierarchy._bases import (
    _drawn,
    descend,
    first_layer,
    form_error,
    measure,
    unlearned,
)

ALPHA, D = 0.3, 6
C = 1 + 6 * ALPHA
RNG = np.random.default_rng(0)
PROJECTION = np.diag([1.0, 1.0, 0, 0, 0, 0])


def given(**change: object) -> dict[str, object]:
    whole = {"basis": "trained", "m": 5, "d": D, "alpha": ALPHA, "n": 1500, "steps": 400}
    return whole | {"start": 1e-4} | change


def test_a_step_goes_down_the_gradient_of_the_risk() -> None:
    """2‖WᵀW − cP‖² by automatic differentiation, and by Monte Carlo over x."""

    def risk(w: jax.Array) -> jax.Array:
        return 2 * jnp.sum((w.T @ w - C * PROJECTION) ** 2)

    w = RNG.normal(size=(3, D)) / 3
    step = (descend(w, C, 1) - w) / np.asarray(jax.grad(risk)(jnp.asarray(w)))
    np.testing.assert_allclose(step, -0.2 / C / 8, rtol=1e-9)
    x, y = _drawn(D, ALPHA, 100_000, jax.random.key(0))
    parts = [np.var(y - np.sum((x @ v.T) ** 2, axis=1)) for v in (w, 0 * w)]
    by_draws = parts[0] - parts[1]
    assert by_draws == pytest.approx(float(risk(w) - risk(0 * w)), rel=0.15)


def test_training_finds_the_quadratic_part_and_a_frame() -> None:
    w = first_layer(given(m=5), jax.random.key(1))
    np.testing.assert_allclose(w.T @ w, C * PROJECTION, atol=1e-6)
    assert form_error(w, ALPHA) < 1e-12
    slow = np.sum((w.T @ w - C * PROJECTION) ** 2) / (2 * C**2)
    assert form_error(w, ALPHA) == pytest.approx(slow, abs=1e-14)
    early = descend(RNG.normal(size=(3, D)) / 3, C, 3)
    slow = np.sum((early.T @ early - C * PROJECTION) ** 2) / (2 * C**2)
    assert form_error(early, ALPHA) == pytest.approx(slow)


@pytest.mark.parametrize("angle", [0.0, 0.3, np.arctan(2.0), np.pi / 8])
def test_two_neurons_leave_a_quarter_of_sin_squared(angle: float) -> None:
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    w = np.sqrt(C) * np.concatenate([turn, np.zeros((2, D - 2))], axis=1)
    fit, test = (_drawn(D, ALPHA, 100_000, jax.random.key(k)) for k in (1, 2))
    left = unlearned(w, fit, test, ALPHA)
    assert left == pytest.approx(np.sin(4 * angle) ** 2 / 4, rel=0.1, abs=1e-9)


def test_cells_of_every_basis() -> None:
    def values(**change: object) -> dict[str, float]:
        cell = Cell(study="s", version=1, parameters=given(**change), repetition=0)
        return dict(measure([cell])[0].values)

    many, slides, true = values(m=6), values(basis="slides", m=2), values(basis="true", m=2)
    assert max(many["layer_two"], true["layer_two"]) < 1e-5
    assert 0.1 < slides["layer_two"] < 1  # 0.23 on average; tails are heavy
    assert max(v["layer_one"] for v in (many, slides, true)) < 1e-9
    assert values(m=6) == many
