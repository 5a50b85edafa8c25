"""Random non-spherical Gaussians and their mixtures."""

import jax
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.inputs import non_spherical, non_spherical_mixture
from featlearn.testing import check_inputs

KEY = jax.random.key(2)


def test_they_are_laws() -> None:
    check_inputs(non_spherical(3, 2.0, mean=[1.0, 0.0, 0.0], key=KEY), key=KEY)
    check_inputs(non_spherical_mixture(3, 2, 2.0, spread=0.5, weights=[0.3, 0.7], key=KEY), key=KEY)


def test_the_shape_is_random_and_its_size_is_not() -> None:
    values = [
        np.linalg.eigvalsh(np.asarray(non_spherical(8, 3.0, key=jax.random.key(s)).covariance()))
        for s in range(20)
    ]
    np.testing.assert_allclose(np.sum(values, axis=1), 8, rtol=1e-5)
    ratios = [v[-1] / v[0] for v in values]
    assert 4 < max(ratios) <= 9 + 1e-4
    assert min(ratios) > 1.5
    plain = non_spherical(4, 1.0, key=KEY)
    np.testing.assert_allclose(plain.covariance(), np.eye(4), atol=1e-5)


def test_means_of_a_mixture_are_spread() -> None:
    law = non_spherical_mixture(50, 4, 2.0, spread=0.5, key=KEY)
    means = np.array([np.asarray(part.mean) for part in law.gaussian_parts()])
    assert means.std() == pytest.approx(0.5, rel=0.15)
    centred = non_spherical_mixture(5, 2, 2.0, key=KEY)
    np.testing.assert_array_equal(centred.mean(), 0)


def test_refusals() -> None:
    with pytest.raises(InvalidInputError, match="kappa must be at least 1"):
        non_spherical(3, 0.5, key=KEY)
    with pytest.raises(InvalidInputError, match="components must be a whole number"):
        non_spherical_mixture(3, 0, 2.0, key=KEY)
    with pytest.raises(InvalidInputError, match="spread has values"):
        non_spherical_mixture(3, 2, 2.0, spread=float("nan"), key=KEY)
