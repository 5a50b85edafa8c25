"""A description with its weights: one function, pure in them, and what its activations see."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.kernels import empirical_ntk
from featlearn.networks import Dense, Description, Skip

RNG = np.random.default_rng(0)
KEY = jax.random.key(1)
RESIDUAL = Description(6, Dense(7, "relu"), Skip(Dense(7, "relu")), Dense(2))
X = RNG.normal(size=(4, 6)).astype(np.float32)


def test_is_the_residual_network_of_the_document():
    """R(x) = A ReLU(V ReLU(Wx)) + A ReLU(Wx)."""
    network = RESIDUAL.draw(KEY)
    w, v, a = (np.asarray(leaf) for leaf in jax.tree.leaves(network.trained))
    h = np.maximum(X @ w.T, 0)
    wanted = (np.maximum(h @ v.T, 0) + h) @ a.T
    np.testing.assert_allclose(network(X), wanted, rtol=1e-4, atol=1e-5)
    seen = network.preactivations(X)
    np.testing.assert_allclose(seen[0], X @ w.T, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(seen[1], h @ v.T, rtol=1e-4, atol=1e-5)
    assert RESIDUAL.shapes == ((6,), (7,), (7,), (2,))


def test_is_a_pure_function_of_its_weights():
    network = RESIDUAL.draw(KEY)
    doubled = jax.tree.map(lambda leaf: 2 * leaf, network.trained)
    moved = network.at(doubled)
    got = RESIDUAL.apply(doubled, network.frozen, X)
    np.testing.assert_array_equal(moved(X), got)
    assert np.abs(np.asarray(got) - np.asarray(network(X))).max() > 0.1
    same = RESIDUAL.draw(KEY)
    np.testing.assert_array_equal(same(X), network(X))


def test_its_tangent_kernel_can_be_taken():
    network = RESIDUAL.draw(KEY)

    def fn(weights, x):
        return RESIDUAL.apply(weights, network.frozen, x)

    kernel = np.asarray(empirical_ntk(fn, network.trained)(X))
    jacobian = jax.jacobian(fn)(network.trained, jnp.asarray(X))
    flat = np.concatenate(
        [np.asarray(j, np.float64).reshape(4, 2, -1) for j in jax.tree.leaves(jacobian)], axis=2
    )
    np.testing.assert_allclose(kernel, np.einsum("nap,map->nm", flat, flat), rtol=1e-4)


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (lambda: Description((), Dense(1)), "A point's shape"),
        (lambda: Description(0, Dense(1)), "A point's shape"),
        (lambda: Description(3), "a layer at least"),
        (lambda: RESIDUAL.draw(KEY)(X[:, :5]), r"shape \(n, 6\)"),
        (lambda: RESIDUAL.draw(KEY)([1.0]), r"shape \(n, 6\)"),
        (lambda: RESIDUAL.draw(KEY).at({"weight": X}), "must have the form"),
    ],
)
def test_refuses_what_does_not_fit(act, says):
    with pytest.raises(InvalidInputError, match=says):
        act()
