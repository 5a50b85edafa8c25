"""Labelled points, and what no learner can work with."""

import equinox as eqx
import numpy as np
from jaxtyping import Array, Float, Int

from featlearn.errors import InvalidInputError


class Sample(eqx.Module):
    """Labelled points: `x` (n, d) and `y` (n,) or (n, k).

    In a fleet, samples of unequal size travel padded to one shape; `count` then says how many
    leading rows are real. Outside a fleet it is None and every row counts.
    """

    x: Float[Array, "n d"]
    y: Float[Array, "n *k"]
    count: Int[Array, ""] | None = None

    @property
    def n(self) -> int:
        """Number of rows, padding included."""
        return self.x.shape[0]

    @property
    def dim(self) -> int:
        return self.x.shape[1]


def check_sample(sample: Sample, least: int = 10) -> None:
    """Refuse shapes, values and sizes that no learner can work with."""
    x, y = sample.x, sample.y
    if getattr(x, "ndim", 0) != 2:
        raise InvalidInputError(
            f"x must have shape (n, d), got {getattr(x, 'shape', type(x).__name__)}. "
            "Reshape one-dimensional inputs to (n, 1)."
        )
    if getattr(y, "ndim", 0) not in (1, 2) or y.shape[0] != x.shape[0]:
        raise InvalidInputError(
            f"y must have shape (n,) or (n, k) with n = {x.shape[0]} like x, "
            f"got {getattr(y, 'shape', type(y).__name__)}."
        )
    if x.shape[0] < least:
        raise InvalidInputError(
            f"{x.shape[0]} samples are too few: a fifth is held out for validation and "
            f"the rest must determine a fit. Give at least {least}."
        )
    _check_values(x, y)


def _check_values(x: Array, y: Array) -> None:
    for name, array in (("x", np.asarray(x)), ("y", np.asarray(y))):
        if array.dtype.kind not in "fiub" and not np.issubdtype(array.dtype, np.number):
            raise InvalidInputError(
                f"{name} holds {array.dtype} and not numbers. Encode its columns as numbers; for "
                "labels that are classes, use learners.fit_classes."
            )
        bad = ~np.isfinite(array)
        if bad.any():
            row = int(np.argwhere(bad)[0][0])
            raise InvalidInputError(
                f"{name} has {int(bad.sum())} values that are NaN or infinite (first in row "
                f"{row}). Remove or impute those rows."
            )
    labels = np.asarray(y)
    if np.all(labels == labels[:1]):
        raise InvalidInputError(
            f"Every label is {labels.ravel()[0]:g}: a constant target has nothing to learn. "
            "Check the column used as y."
        )
