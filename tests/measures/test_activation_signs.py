"""Changed signs counted by hand, and for Gaussian neurons against their law."""

import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.measures import changed_signs, changed_signs_of_layers

RNG = np.random.default_rng(0)


def test_counts_the_pairs_of_points_and_neurons():
    before = np.array([[1.0, -1.0, 0.0], [2.0, -3.0, -0.1]])
    after = np.array([[-1.0, -2.0, 0.5], [2.0, 3.0, 0.0]])
    got = changed_signs(before, after)
    assert float(got.value) == pytest.approx(3 / 6)
    assert float(got.stderr) == pytest.approx(np.std([1 / 3, 2 / 3], ddof=1) / np.sqrt(2))
    assert int(got.n) == 2
    assert float(changed_signs(before, 5 * before).value) == 0.0


@pytest.mark.parametrize("size", [0.1, 1.0])
def test_gaussian_neurons_change_by_an_angle(size):
    """P(sign z ≠ sign(z + δ)) = arctan(δ/σ)/π for independent Gaussians; not δ/σ√(2π)."""
    z, move = RNG.normal(size=(2, 4000, 20))
    got = changed_signs(z, z + size * move)
    assert abs(float(got.value) - np.arctan(size) / np.pi) < 4 * float(got.stderr)
    assert abs(float(got.value) - size / np.sqrt(2 * np.pi)) > 4 * float(got.stderr)


def test_images_and_layers():
    images = RNG.normal(size=(4, 3, 3, 2))
    flat = images.reshape(4, -1)
    parts = changed_signs_of_layers([images, flat], [images + 1, flat + 1])
    assert float(parts[0].value) == float(parts[1].value) == np.mean((flat >= 0) != (flat >= -1))


@pytest.mark.parametrize(
    ("before", "after"),
    [(np.ones((3, 4)), np.ones((3, 5))), (np.ones(3), np.ones(3)), (np.ones((1, 4)),) * 2],
)
def test_refuses_what_are_no_preactivations(before, after):
    with pytest.raises(InvalidInputError, match="one shape"):
        changed_signs(before, after)


def test_refuses_layers_that_do_not_match():
    for before, after in (([], []), ([np.ones((2, 2))], [])):
        with pytest.raises(InvalidInputError, match="same layers"):
            changed_signs_of_layers(before, after)
