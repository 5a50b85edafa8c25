"""Classification by regression on one column of zeros and ones for each class.

Y_ic = 1[label_i = c],    class of x = argmax_c f_c(x)
"""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from featlearn.errors import InvalidInputError
from featlearn.learners._protocol import Fitted


def one_hot(labels: Int[Any, "n"], classes: int | None = None) -> Float[np.ndarray, "n c"]:
    """Labels 0 … c − 1 as columns of zeros and ones, to be the `y` of a sample.

    `classes` is c; by default one more than the largest label.
    """
    given = np.asarray(labels)
    if given.ndim != 1 or given.size == 0 or given.dtype.kind not in "iu":
        raise InvalidInputError(
            f"labels must be whole numbers of shape (n,), got {given.dtype} of shape "
            f"{given.shape}. Number the classes from 0, with np.unique(labels, "
            "return_inverse=True)."
        )
    count = int(given.max()) + 1 if classes is None else classes
    if given.min() < 0 or given.max() >= count or count < 2:
        raise InvalidInputError(
            f"labels must lie between 0 and the number of classes less one, for at least two "
            f"classes; got {given.min()} … {given.max()} for {count} classes."
        )
    return np.eye(count)[given]


def predict_class(fitted: Fitted, x: Float[Array, "n d"]) -> Int[Array, "n"]:
    """The class of largest output, for a model that was fitted on `one_hot` labels."""
    scores = fitted(x)
    if scores.ndim != 2 or scores.shape[1] < 2:
        raise InvalidInputError(
            f"A class is chosen among at least two outputs, and this model gives {scores.shape}: "
            "fit it on one_hot(labels)."
        )
    return jnp.argmax(scores, axis=1)
