"""Half spaces: the label, the sizes that theory asks for, and how many points need a layer."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.inputs import Gaussian
from featlearn.targets import dense, halfspace, parity, single_index, toy

KEY = jax.random.key(4)
D = 6
BASE = toy("correction", D, 0.1)
TARGET = halfspace(BASE, key=KEY, n=50_000)
X = Gaussian(D).sample(jax.random.key(9), 40_000).astype(jnp.float64)


def test_labels_are_the_sign_of_the_margin() -> None:
    w = np.asarray(TARGET.normal)
    x = np.asarray(X[:50])
    inside = x - np.outer(x @ w, w) / (w @ w)
    np.testing.assert_allclose(inside @ w, 0, atol=1e-6)
    margin = x @ w + np.asarray(BASE(inside)) - float(TARGET.centre.sum())
    np.testing.assert_array_equal(TARGET(X[:50]), (margin >= 0).astype(float))
    np.testing.assert_allclose(TARGET.features(X[:50], 2), BASE.features(inside, 2), atol=1e-9)


def test_the_two_terms_are_of_one_size_and_centred() -> None:
    """Var ⟨w, x⟩ = Var G(Πx) and E G = E of what is subtracted, on other draws."""
    g = np.asarray(BASE(TARGET.projected(X))) - float(TARGET.centre.sum())
    error = 2**0.5 * g.std() / len(g) ** 0.5  # of the draws here and of those at its birth
    assert abs(g.mean()) < 4 * error
    squares = (g**2).std() / len(g) ** 0.5
    assert abs(float(jnp.sum(TARGET.normal**2)) - g.var()) < 4 * 1.5 * squares
    uncentred = np.asarray(BASE(TARGET.projected(X)))
    assert abs(uncentred.mean()) > 4 * error


def test_partial_margins_sum_the_layers_below() -> None:
    x = X[:100]
    along = np.asarray(x @ TARGET.normal)
    np.testing.assert_allclose(TARGET.margin(x, 0), along, atol=1e-9)
    one = along + np.asarray(BASE.part(TARGET.projected(x), 1)) - float(TARGET.centre[0])
    np.testing.assert_allclose(TARGET.margin(x, 1), one, atol=1e-9)
    np.testing.assert_allclose(TARGET.margin(x, 2), TARGET.margin(x), atol=1e-9)


def test_the_part_of_points_that_needs_a_layer_falls_with_its_gap() -> None:
    """P(|margin without layer 2| ≤ α_2) is proportional to α_2 where α_2 is small."""
    shares = []
    for gap in (0.02, 0.08):
        target = halfspace(dense(D, (2, 1), (1.0, gap), key=KEY), key=KEY, n=20_000)
        shares.append(float(jnp.mean(jnp.abs(target.margin(X, 1)) <= gap)))
    assert shares[1] / shares[0] == pytest.approx(4, rel=0.2)


def test_a_base_without_levels_serves_too() -> None:
    target = halfspace(single_index({2: 1.0}, D, key=KEY), key=KEY, n=20_000)
    assert target.centre.shape == (1,)
    assert abs(float(target(X).mean()) - 0.5) < 0.3
    assert target.facts(Gaussian(D)).gaps is None


def test_refusals() -> None:
    with pytest.raises(InvalidInputError, match="the inputs have dim 5"):
        halfspace(BASE, key=KEY, inputs=Gaussian(5))
    with pytest.raises(InvalidInputError, match="constant off the normal"):
        halfspace(parity(1, 1), key=KEY, n=100)
