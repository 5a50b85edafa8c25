"""What these studies add to the judging of every system: width-limited cells."""

from math import comb
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
