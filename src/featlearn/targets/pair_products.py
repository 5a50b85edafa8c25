"""The targets of the experiment "beyond kernels", x uniform on {−1, 1}^30, H = βF + αG(F).

    slides   F = (x1x2, …, x15x16)     G = y1y2y3y4 on outputs 1–4, y5y6y7y8 on outputs 5–8
    later    F = (x1x2, …, x29x30)     G_i = (−1)^i y1y2y3y4

with k = 8 and k = 15 outputs. Who learns F alone keeps the error kα²: 0.72 and 1.35 at α = 0.3.
"""

from typing import Any, Literal

import numpy as np

from featlearn.errors import InvalidInputError
from featlearn.targets.products import products
from featlearn.targets.residual import Residual, residual

DIM = 30


def pair_products(
    version: Literal["slides", "later"], alpha: Any = 0.3, beta: Any = 1.0
) -> Residual:
    """Products of pairs, and products of four of these.

    pair_products("later", alpha=0.3, beta=1.0)          x in {−1, 1}^30, labels (n, 15)
    """
    if version not in ("slides", "later"):
        raise InvalidInputError(f'version must be "slides" or "later", got {version!r}.')
    count = 8 if version == "slides" else 15
    pairs = products([(2 * j, 2 * j + 1) for j in range(count)], DIM)
    first, second = (0, 1, 2, 3), (4, 5, 6, 7)
    if version == "slides":
        composite = products([first] * 4 + [second] * 4, count)
    else:
        signs = (-1.0) ** np.arange(1, count + 1)
        composite = products([first] * count, count, factors=signs)
    return residual(pairs, composite, alpha, beta)
