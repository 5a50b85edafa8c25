import jax.numpy as jnp
import numpy as np
import pytest

from featlearn import Sample
from featlearn.errors import InvalidInputError
from featlearn.samples import check_sample

X = np.arange(36.0).reshape(12, 3)
Y = np.arange(12.0)


def with_value(array: np.ndarray, where: tuple[int, ...], value: float) -> np.ndarray:
    array = array.copy()
    array[where] = value
    return array


def test_sizes() -> None:
    sample = Sample(jnp.asarray(X), jnp.asarray(Y))
    assert (sample.n, sample.dim, sample.count) == (12, 3, None)


def test_good_samples_pass() -> None:
    check_sample(Sample(X, Y))
    check_sample(Sample(X, np.stack([Y, np.ones(12)], axis=1)))
    check_sample(Sample(X[:4], Y[:4]), least=4)
    check_sample(Sample(jnp.asarray(X, jnp.float32), jnp.asarray(Y > 5)))


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (X[:, 0], Y, r"x must have shape \(n, d\), got \(12,\)"),
        (X.tolist(), Y, "x must have shape .* got list"),
        (X, Y[:-1], r"n = 12 like x, got \(11,\)"),
        (X, Y[:, None, None], r"got \(12, 1, 1\)"),
        (X, Y.tolist(), "got list"),
        (X[:9], Y[:9], "9 samples are too few"),
        (with_value(X, (4, 1), np.nan), Y, "x has 1 values .* row 4"),
        (X, with_value(Y, (7,), np.inf), "y has 1 values .* row 7"),
        (X, np.full(12, 2.5), r"Every label is 2\.5"),
        (X, np.ones((12, 2)), "Every label is 1"),
    ],
)
def test_bad_samples_are_refused(x: np.ndarray, y: np.ndarray, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        check_sample(Sample(x, y))
