"""A first layer of m neurons on toy (a), and what the second layer can build on it.

    G = x_1² + x_2² + α(x_1⁴ + x_2⁴),   x ~ N(0, I_d)

Layer 1 sees G through its quadratic part, c(x_1² + x_2²) with c = 1 + 6α, and the intercept takes
the mean: with A = WᵀW and P the projection on (x_1, x_2) its risk is 2‖A − cP‖² up to a constant,
and one step of gradient descent is

    W ← W − η W(A − cP)

from a small Gaussian start. What is left, α(He_4(x_1) + He_4(x_2)), is fitted by least squares on
1, F_i and F_iF_j: all that a quadratic layer can make of the outputs F_i = (w_i·x)².

In polar coordinates of the plane x_1⁴ + x_2⁴ = r⁴(3 + cos 4φ)/4. Two neurons at an angle θ make
r⁴, r⁴ cos 2(φ − θ) and r⁴ cos 4(φ − θ); the share sin²(4θ)/4 of what is left is out of their reach.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from featlearn import seeds
from featlearn.engine import Cell, Outcome
from featlearn.inputs import Gaussian
from featlearn.precision import double_precision
from featlearn.targets import toy

SLIDES = np.array([[1.0, 2.0], [2.0, -1.0]]) / 5**0.5  # ⅕(x_1 + 2x_2)² + ⅕(2x_1 − x_2)²
RATE = 0.2  # η c
CUT = 1e-9  # of the largest singular value: combinations of outputs below it are rounding


def measure(cells: Sequence[Cell]) -> list[Outcome]:
    """The error of layer 1, and that of layer 2 on top of it, cell by cell."""
    return [Outcome(values=_measured(cell)) for cell in cells]


def _measured(cell: Cell) -> dict[str, float]:
    p = cell.parameters
    weight = first_layer(p, seeds.key(cell.study, "start", cell.repetition))
    keys = (seeds.key(cell.study, role, cell.repetition) for role in ("data", "test"))
    fit, test = (_drawn(p["d"], p["alpha"], p["n"], key) for key in keys)
    return {
        "layer_one": form_error(weight, p["alpha"]),
        "layer_two": unlearned(weight, fit, test, p["alpha"]),
        "kurtosis": float(np.mean(weight[:, :2] ** 4) / np.mean(weight[:, :2] ** 2) ** 2),
    }


def first_layer(p: Mapping[str, Any], key: Any) -> np.ndarray:
    """W (m, d): the slides' two neurons, the true two, or m trained ones."""
    c, m, d = 1 + 6 * p["alpha"], p["m"], p["d"]
    if p["basis"] == "trained":
        drawn = np.asarray(jax.random.normal(key, (m, d), jnp.float32), np.float64)
        return descend(p["start"] * drawn / d**0.5, c, p["steps"])
    plane = SLIDES if p["basis"] == "slides" else np.eye(2)
    return np.sqrt(c) * np.concatenate([plane, np.zeros((2, d - 2))], axis=1)


def descend(weight: np.ndarray, c: float, steps: int) -> np.ndarray:
    """Gradient descent on the risk of layer 1, over the whole law of x."""
    eta = RATE / c
    for _ in range(steps):
        pull = (weight @ weight.T) @ weight
        pull[:, :2] -= c * weight[:, :2]
        weight = weight - eta * pull
    return weight


def form_error(weight: np.ndarray, alpha: float) -> float:
    """‖A − cP‖²/‖cP‖²: the error of layer 1 over its signal."""
    c, gram = 1 + 6 * alpha, weight @ weight.T
    seen = weight[:, :2].T @ weight[:, :2]  # ‖A‖² − 2c tr AP + 2c², without the (d, d) matrix
    return float((np.sum(gram**2) - 2 * c * np.trace(seen) + 2 * c**2) / (2 * c**2))


def unlearned(
    weight: np.ndarray,
    fit: tuple[np.ndarray, np.ndarray],
    test: tuple[np.ndarray, np.ndarray],
    alpha: float,
) -> float:
    """The error after layer 2 over that of the best quadratic alone, on the test points."""
    c = _least_squares(_terms(weight, fit[0]), fit[1])
    x, y = test
    rest = y - _terms(weight, x) @ c
    square = np.sum(x[:, :2] ** 2, axis=1)
    alone = y - (1 + 6 * alpha) * square + 6 * alpha
    return float(np.sum(rest**2) / np.sum(alone**2))


def _terms(weight: np.ndarray, x: np.ndarray) -> np.ndarray:
    """1, F_i, F_iF_j."""
    f = (x @ weight.T) ** 2
    rows, columns = np.triu_indices(f.shape[1])
    return np.concatenate([np.ones((len(x), 1)), f, f[:, rows] * f[:, columns]], axis=1)


def _least_squares(terms: np.ndarray, y: np.ndarray) -> np.ndarray:
    size = np.linalg.norm(terms, axis=0)
    return np.asarray(np.linalg.lstsq(terms / size, y, rcond=CUT)[0] / size)


def _drawn(d: int, alpha: float, n: int, key: Any) -> tuple[np.ndarray, np.ndarray]:
    x = np.asarray(Gaussian(d).sample(key, n), np.float64)
    return x, _labels(x[:, :2], alpha)


@double_precision
def _labels(x: np.ndarray, alpha: float) -> np.ndarray:
    """G, which depends on two coordinates alone."""
    return np.asarray(toy("rich", 2, alpha)(jnp.asarray(x)))
