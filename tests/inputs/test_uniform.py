import jax
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.inputs import Uniform
from featlearn.testing import check_inputs

KEY = jax.random.key(0)


@pytest.mark.parametrize("law", [Uniform(3), Uniform(3, [0.0, -1.0, 2.0], [1.0, 5.0, 2.5])])
def test_conformance(law: Uniform) -> None:
    check_inputs(law, key=KEY)


def test_draws_fill_the_box_and_stay_in_it() -> None:
    low, high = np.array([0.0, -1.0]), np.array([1.0, 5.0])
    x = (np.asarray(Uniform(2, low, high).sample(KEY, 20_000)) - low) / (high - low)
    assert x.min() >= 0
    assert x.max() <= 1
    counts = np.stack([np.histogram(column, bins=10, range=(0, 1))[0] for column in x.T])
    assert np.abs(counts - 2000).max() < 4.5 * (20_000 * 0.1 * 0.9) ** 0.5


def test_the_default_has_unit_variance() -> None:
    np.testing.assert_allclose(Uniform(3).covariance(), np.eye(3), atol=1e-12)
    np.testing.assert_allclose(Uniform(3).mean(), 0.0)


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [
        (1.0, 0.0, r"low must be below high .* got low = 1\.0 and high = 0\.0"),
        (0.0, 0.0, "low must be below high"),
        ([0.0, 0.0], [1.0, -1.0], "low must be below high"),
        (np.zeros(3), 1.0, r"low must have shape \(\) or \(2,\), got \(3,\)"),
        (0.0, np.inf, "high has values"),
    ],
)
def test_bad_input_is_refused(low: float, high: float, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        Uniform(2, low, high)
