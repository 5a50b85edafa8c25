"""Rounds of least squares on toy (d), layer 2 and layer 3 fitted together.

    G = u_1² + u_2² + α((u_1² + x_3)² + (u_2² + x_4)²),    u = x² − E x²

Layer 2 is a quadratic form F = Σ_{i≤j} c_ij u_i u_j, true where F = u_1² + u_2². Layer 3 reads its
two parts q_1 (the terms in u_1, u_3) and q_2 (in u_2, u_4) and is quadratic in (q_1, x_3) and in
(q_2, x_4). One round takes q from the last one and fits both layers at once:

    min over c, r of  E(G − F(c) − r_1 q_1² − r_2 q_1x_3 − r_3 x_3² − (the same for q_2, x_4))²

With q = u² + e layer 3 gives α(q + x_3)², and G is fitted by F = u² − 2αe(u² + x_3) + O(e²): the
error that comes back to layer 2 is the last one times a factor proportional to α. For e = u_1u_3
that is −2α u_1³u_3, whose part in u_1u_3 is −2α (E u⁴/E u²) u_1u_3.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from featlearn import seeds
from featlearn.engine import Cell, Outcome
from featlearn.inputs import Uniform
from featlearn.precision import double_precision
from featlearn.targets import toy

DIM = 4
ROWS, COLUMNS = np.triu_indices(DIM)  # the terms u_i u_j of layer 2
PAIRS = (
    ((0, 0), (0, 2), (2, 2)),
    ((1, 1), (1, 3), (3, 3)),
)
NODES = 9  # of quadrature: what is fitted has degree 8 in each coordinate at most
EARLY = (3, 6)  # rounds between which a factor is measured
LATE = 6  # and from which on a stall is


class Data(NamedTuple):
    """Points, labels, and the weight of each in the average."""

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray


def measure(cells: Sequence[Cell]) -> list[Outcome]:
    """The error of layer 2 after every round, cell by cell."""
    return [Outcome(values=_measured(cell)) for cell in cells]


def _measured(cell: Cell) -> dict[str, float]:
    p = cell.parameters
    if p["n"]:
        data = _drawn(p["alpha"], p["n"], seeds.key(cell.study, "data", cell.repetition))
    else:
        data = _quadrature(p["alpha"], p["law"])
    forms = run_rounds(data, p["rounds"], joint=p["joint"])
    errors = [form_error(c, p["law"]) for c in forms]
    return {
        **{f"error_{at}": e for at, e in enumerate(errors)},
        "factor": _mean_factor(errors, *EARLY),
        "late_factor": _mean_factor(errors, LATE, p["rounds"]),
    }


def _mean_factor(errors: Sequence[float], first: int, last: int) -> float:
    """By which the error changes in a round, in the geometric mean over rounds."""
    return float((errors[last] / errors[first]) ** (1 / (last - first)))


def run_rounds(data: Data, rounds: int, *, joint: bool) -> list[np.ndarray]:
    """c after 0, 1, … rounds; unless `joint`, layer 2 stays as it was fitted alone."""
    below = _layer_two(data.x)
    form = _fitted(below, data)
    found = [form]
    for _ in range(rounds):
        if joint:
            both = np.concatenate([below, _layer_three(data.x, form)], axis=1)
            form = _fitted(both, data)
        found.append(form)
    return found


def _layer_two(x: np.ndarray) -> np.ndarray:
    """A constant, and the terms of the form."""
    u = x**2 - 1
    return np.concatenate([np.ones((len(x), 1)), u[:, ROWS] * u[:, COLUMNS]], axis=1)


def _layer_three(x: np.ndarray, form: np.ndarray) -> np.ndarray:
    """The quadratic terms of (q_1, x_3) and of (q_2, x_4)."""
    u, c = x**2 - 1, np.zeros((DIM, DIM))
    c[ROWS, COLUMNS] = form
    terms: list[np.ndarray] = []
    for pair, other in zip(PAIRS, (x[:, 2], x[:, 3]), strict=True):
        q = np.sum([c[i, j] * u[:, i] * u[:, j] for i, j in pair], axis=0)
        terms += [q**2, q * other, other**2]
    return np.stack(terms, axis=1)


def _fitted(terms: np.ndarray, data: Data) -> np.ndarray:
    """The coefficients of the form; the terms follow a constant, and others may follow them."""
    root = np.sqrt(data.weight)
    size = np.linalg.norm(terms * root[:, None], axis=0)
    c = np.linalg.lstsq(terms * (root[:, None] / size), data.y * root, rcond=1e-14)[0]
    return np.asarray((c / size)[1 : 1 + len(ROWS)])


def form_error(form: np.ndarray, law: str) -> float:
    """√(E(F − u_1² − u_2²)² / E(u_1² + u_2²)²), exactly under the law."""
    true = np.array([float(i == j and i < 2) for i, j in zip(ROWS, COLUMNS, strict=True)])
    second, fourth = central_moments(law)
    square = (ROWS == COLUMNS).astype(float)
    gram = np.outer(square, square) * second**2 + np.diag(
        np.where(square > 0, fourth - second**2, second**2)
    )
    off = form - true
    return float(np.sqrt((off @ gram @ off) / (true @ gram @ true)))


def central_moments(law: str) -> tuple[float, float]:
    """E u² and E u⁴ of u = x² − 1, from E x^{2k} = 3^k/(2k + 1) or (2k − 1)!!."""
    if law == "uniform":
        m = [3.0**k / (2 * k + 1) for k in range(5)]
    else:
        m = [1.0, 1.0, 3.0, 15.0, 105.0]
    return m[2] - 1, m[4] - 4 * m[3] + 6 * m[2] - 3


def _drawn(alpha: float, n: int, key: Any) -> Data:
    """A sample under uniform inputs."""
    x = np.asarray(Uniform(DIM).sample(key, n), np.float64)
    return Data(x, _labels(x, alpha), np.full(n, 1 / n))


@double_precision
def _labels(x: np.ndarray, alpha: float) -> np.ndarray:
    """G in float64: errors fall to 1e−12."""
    return np.asarray(toy("quartic", DIM, alpha)(jnp.asarray(x)))


def _quadrature(alpha: float, law: str) -> Data:
    """The whole law: a grid on which every average of the fit is exact."""
    if law == "uniform":
        nodes, mass = np.polynomial.legendre.leggauss(NODES)
        nodes = nodes * 3**0.5
    else:
        nodes, mass = np.polynomial.hermite_e.hermegauss(NODES)
    x = np.stack(np.meshgrid(*[nodes] * DIM, indexing="ij"), -1).reshape(-1, DIM)
    grid = np.meshgrid(*[mass / mass.sum()] * DIM, indexing="ij")
    return Data(x, _labels(x, alpha), np.prod(grid, axis=0).ravel())
