"""Patches: independent draws of one law, one after another."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.inputs import Gaussian, Hypercube, Inputs, Mixture, Patches, Sphere
from featlearn.testing import check_inputs

KEY = jax.random.key(0)
COVARIANCE = np.array([[1.0, 0.4], [0.4, 0.5]])


@pytest.mark.parametrize(
    "patch", [Hypercube(2), Gaussian(2, mean=[1.0, 0.0], covariance=COVARIANCE)]
)
def test_conformance(patch: Inputs) -> None:
    check_inputs(Patches(patch, 3), key=KEY)


def test_each_patch_has_the_law_of_the_patch() -> None:
    law = Patches(Sphere(4, 2.0), 3)
    x = np.asarray(law.sample(KEY, 50)).reshape(50, 3, 4)
    np.testing.assert_allclose(np.linalg.norm(x, axis=2), 2.0, rtol=1e-5)
    assert np.abs(x[:, 0] - x[:, 1]).max() > 1
    assert float(law.largest_norm()) == pytest.approx(2.0 * 3**0.5)


def test_gaussian_patches_are_a_gaussian() -> None:
    assert Patches(Gaussian(2), 3).standard
    (part,) = Patches(Gaussian(2, covariance=COVARIANCE), 2).gaussian_parts()
    np.testing.assert_allclose(part.covariance[2:, 2:], COVARIANCE, atol=1e-9)
    np.testing.assert_array_equal(part.covariance[:2, 2:], jnp.zeros((2, 2)))
    assert Patches(Mixture([Gaussian(2), Gaussian(2)]), 2).gaussian_parts() == ()


def test_bad_input_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="patch must be a law of x"):
        Patches(4, 6)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match=r"count must be .* got 0"):
        Patches(Hypercube(4), 0)
