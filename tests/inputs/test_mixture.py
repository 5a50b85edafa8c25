import jax
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.inputs import Gaussian, Hypercube, Mixture, Uniform
from featlearn.testing import check_inputs

KEY = jax.random.key(0)
FAR = Gaussian(3, mean=[8.0, 0.0, 0.0], covariance=[0.5, 2.0, 1.0])
TWO = Mixture([Gaussian(3), FAR], [0.3, 0.7])


@pytest.mark.parametrize(
    "law",
    [
        TWO,
        Mixture([Gaussian(3), Hypercube(3), Uniform(3)]),
        Mixture([TWO, Gaussian(3)], [0.5, 0.5]),
    ],
    ids=["two Gaussians", "three laws", "nested"],
)
def test_conformance(law: Mixture) -> None:
    check_inputs(law, key=KEY)


def test_components_come_with_their_weights() -> None:
    x = np.asarray(TWO.sample(KEY, 10_000))
    share = (x[:, 0] > 4).mean()
    assert abs(share - 0.7) < 4 * (0.7 * 0.3 / 10_000) ** 0.5


def test_moments_by_hand() -> None:
    np.testing.assert_allclose(TWO.mean(), [5.6, 0.0, 0.0])
    # 0.3·1 + 0.7·0.5 + 0.3·0.7·8² and 0.3·1 + 0.7·2
    np.testing.assert_allclose(TWO.covariance(), np.diag([14.09, 1.7, 1.0]), atol=1e-12)


def test_parts_of_nested_mixtures_are_flat() -> None:
    parts = Mixture([TWO, Gaussian(3)], [0.5, 0.5]).gaussian_parts()
    np.testing.assert_allclose([float(p.weight) for p in parts], [0.15, 0.35, 0.5])
    assert Mixture([TWO, Hypercube(3)]).gaussian_parts() == ()


def test_a_mixture_of_standard_laws_is_standard() -> None:
    assert Mixture([Gaussian(3), Gaussian(3)], [0.2, 0.8]).standard
    assert not TWO.standard


@pytest.mark.parametrize(
    ("components", "weights", "message"),
    [
        ([Gaussian(3), Gaussian(3)], [0.5, 0.6], r"got \[0\.5, 0\.6\] with sum 1\.1"),
        ([Gaussian(3), Gaussian(3)], [1.5, -0.5], r"at least 0 .* got \[1\.5, -0\.5\]"),
        ([Gaussian(3), Gaussian(3)], [1.0], r"weights must have shape \(2,\), got \(1,\)"),
        ([Gaussian(3), Gaussian(3)], [np.nan, 1.0], "weights has values that are NaN"),
        ([Gaussian(2), Gaussian(3)], None, r"one dimension, got \[2, 3\]"),
        ([], None, "at least one component, got none"),
    ],
)
def test_bad_input_is_refused(components: list, weights: list, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        Mixture(components, weights)
