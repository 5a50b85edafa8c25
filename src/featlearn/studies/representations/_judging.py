"""What these studies add to the judging of every system: width-limited cells, harmonics."""

from math import comb, log
from typing import TYPE_CHECKING

import numpy as np

from featlearn.studies import _judging

if TYPE_CHECKING:
    import pandas as pd

SOURCE = "Neural networks can learn representations with gradient descent"


def flags_of(rows: "pd.DataFrame") -> tuple[str, ...]:
    """What a reader must know of these cells."""
    flags = _judging.flags_of(rows)
    return (*flags, "width-limited") if is_width_limited(rows) else flags


def is_width_limited(rows: "pd.DataFrame") -> bool:
    """Random features with fewer neurons than there are monomials of degree at most p."""
    random = rows[(rows["learner"] == "random features") | (rows["step"] == 0)]
    monomials = [comb(int(d + p), int(p)) for d, p in zip(random["d"], random["p"], strict=True)]
    return bool((random["width"].to_numpy() < np.array(monomials, float)).any())


def harmonics(d: int, p: int) -> int:
    """The number of spherical harmonics of degree p in dimension d."""
    return comb(d + p - 1, p) - (comb(d + p - 3, p - 2) if p >= 2 else 0)


def harmonics_slope(dims: list[float], p: int) -> float:
    """How fast the number of degree-p harmonics grows over these dimensions."""
    x = [log(d) for d in dims]
    y = [log(harmonics(int(d), p)) for d in dims]
    return float(np.polyfit(x, y, 1)[0])
