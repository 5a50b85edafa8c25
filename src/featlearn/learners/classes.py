"""Classification by regression on one column of zeros and ones for each class.

Y_ic = 1[label_i = c],    class of x = argmax_c f_c(x)
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from featlearn.errors import InvalidInputError
from featlearn.learners._protocol import Fitted, Learner
from featlearn.samples import Sample


class ClassFit(NamedTuple):
    """A model that answers with labels, as they were given."""

    fitted: Fitted
    classes: np.ndarray

    def __call__(self, x: Float[Array, "n d"]) -> np.ndarray:
        """The label of each row."""
        return self.classes[np.asarray(predict_class(self.fitted, x))]

    def scores(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        """f_c(x), in the order of `classes`."""
        return self.fitted(x)


def fit_classes(
    learner: Learner, x: Float[Any, "n d"], labels: Any, *, key: Key[Array, ""]
) -> ClassFit:
    """Fit any learner on labels of any kind: numbers, words or booleans.

    fit_classes(KernelRidge(NTK(2)), x, labels, key=key)(x_new)     # labels of new points
    """
    given = np.asarray(labels)
    if given.ndim != 1:
        raise InvalidInputError(
            f"labels must have shape (n,), one for each row, got {given.shape}."
        )
    given = given.astype(str) if given.dtype == object else given
    classes, places = np.unique(given, return_inverse=True)
    if len(classes) < 2:
        raise InvalidInputError(
            f"Every label is {given[:1]}: one class has nothing to learn. Check the column."
        )
    return ClassFit(learner.fit(Sample(x, jnp.asarray(one_hot(places))), key=key), classes)


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
