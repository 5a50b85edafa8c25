"""The four toys of hierarchical learning, as dense networks at any dimension.

rich           x_1² + x_2² + α(x_1⁴ + x_2⁴)
correction     x_1² + x_2² + α((x_1² + x_3)² + (x_2² + x_4)²)
contamination  x_1² + 2x_2² + α(x_1² + 2x_2² + x_3)²
quartic        u_1² + u_2² + α((u_1² + x_3)² + (u_2² + x_4)²),   u = x² − E x²

Coordinates beyond the fourth do not occur. In `quartic` the first layer is fixed, as in the paper,
and layers 2 and 3 have weights; in the others layers 1 and 2 have.
"""

from collections.abc import Mapping
from typing import Any, Literal

import jax.numpy as jnp
import numpy as np

from featlearn.errors import InvalidInputError
from featlearn.inputs._checks import check_count, check_shape, default_float
from featlearn.targets.dense import Dense, _checked_gaps, _square_mean

ToyName = Literal["rich", "correction", "contamination", "quartic"]
Rows = list[dict[int, float]]  # the non-zero entries of a matrix, row by row

# {layer: {layer that it reads: rows}}
_LAYERS: Mapping[str, dict[int, dict[int, Rows]]] = {
    "rich": {
        1: {0: [{0: 1.0}, {1: 1.0}]},
        2: {1: [{0: 1.0}, {1: 1.0}]},
    },
    "correction": {
        1: {0: [{0: 1.0}, {1: 1.0}]},
        2: {0: [{2: 1.0}, {3: 1.0}], 1: [{0: 1.0}, {1: 1.0}]},
    },
    "contamination": {
        1: {0: [{0: 1.0}, {1: 2.0**0.5}]},
        2: {0: [{2: 1.0}], 1: [{0: 1.0, 1: 1.0}]},
    },
    "quartic": {
        2: {1: [{0: 1.0}, {1: 1.0}]},
        3: {0: [{2: 1.0}, {3: 1.0}], 2: [{0: 1.0}, {1: 1.0}]},
    },
}
_LEAST_DIM = {"rich": 2, "correction": 4, "contamination": 3, "quartic": 4}


def toy(name: ToyName, dim: int, gap: Any, *, square_mean: Any = 1.0) -> Dense:
    """A toy of theory by name; `gap` is α.

    "rich"           natural inputs N(0, I): which basis the first layer learns matters to the next
    "correction"     E x_i = 1, N(1, I): the best first layer alone takes x_3 and x_4 in, by α
    "contamination"  the same with one neuron above two; natural inputs N(1, I) too
    "quartic"        bounded inputs, uniform on [−√3, √3]; `square_mean` = E x_i² is subtracted
                     (0 gives the powers x_1⁴ as they are)

        toy("correction", 20, 0.3).features(x, level=2)      # (x_1² + x_3, x_2² + x_4)
    """
    if name not in _LAYERS:
        raise InvalidInputError(f"There is no toy {name!r}. The toys are {', '.join(_LAYERS)}.")
    dim = check_count("dim", dim, least=_LEAST_DIM[name])
    check_shape("gap", gap, ())
    layers = _LAYERS[name]
    fixed = 1 not in layers
    width_of = {0: dim, 1: dim} | {at: len(next(iter(w.values()))) for at, w in layers.items()}
    weights = tuple(
        tuple(_matrix(rows, width_of[j]) for j, rows in reads.items()) for reads in layers.values()
    )
    return Dense(
        weights=weights,
        gaps=_checked_gaps(jnp.stack([jnp.ones(()), jnp.asarray(gap)]), 2),
        signs=tuple(default_float(jnp.ones(len(w[0]))) for w in weights),
        square_mean=_square_mean(square_mean, dim) if fixed else None,
        graph=tuple(tuple(reads) for reads in layers.values()),
        dim=dim,
    )


def _matrix(rows: Rows, columns: int) -> Any:
    matrix = np.zeros((len(rows), columns))
    for i, row in enumerate(rows):
        matrix[i, list(row)] = list(row.values())
    return default_float(matrix)
