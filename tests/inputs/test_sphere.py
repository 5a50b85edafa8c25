import jax
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.inputs import Sphere
from featlearn.testing import check_inputs

KEY = jax.random.key(0)


@pytest.mark.parametrize("radius", [None, 2.0])
def test_conformance(radius: float | None) -> None:
    check_inputs(Sphere(3, radius), key=KEY)


def test_every_point_has_the_radius() -> None:
    for law, radius in ((Sphere(5), 5**0.5), (Sphere(5, 0.1), 0.1)):
        norms = np.linalg.norm(np.asarray(law.sample(KEY, 100)), axis=1)
        np.testing.assert_allclose(norms, radius, rtol=1e-5)


def test_it_is_uniform() -> None:
    """E x_1⁴ = 3 r⁴ / (d (d + 2)): a normalised cube would have another one."""
    x = np.asarray(Sphere(4, 1.0).sample(KEY, 20_000), np.float64) ** 4
    assert abs(x[:, 0].mean() - 3 / 24) < 4 * x[:, 0].std() / 20_000**0.5


@pytest.mark.parametrize(
    ("radius", "message"),
    [
        (0.0, r"radius must be positive, got 0\.0"),
        (-1.0, r"got -1\.0"),
        (np.nan, "radius has values that are NaN"),
        ([1.0, 2.0], r"radius must have shape \(\), got \(2,\)"),
    ],
)
def test_bad_input_is_refused(radius: float, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        Sphere(3, radius)
