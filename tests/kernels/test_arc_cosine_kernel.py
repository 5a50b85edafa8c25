"""Arc-cosine kernels against their angles, random features, and the ReLU network."""

import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.kernels import ArcCosine, Conjugate


def slow(x, y, order, depth):
    """J_n of Cho and Saul with arccos, in extended precision, pair by pair."""
    big = np.longdouble
    x, y, pi = x.astype(big), y.astype(big), 4 * np.arctan(big(1))

    def layer(a, b, c):
        cos = np.clip(c / np.sqrt(a * b), -1, 1)
        t, sin = np.arccos(cos), np.sqrt(1 - cos**2)
        j = (
            pi - t,
            sin + (pi - t) * cos,
            3 * sin * cos + (pi - t) * (1 + 2 * cos**2),
        )
        return np.sqrt(a * b) ** order * j[order] / pi

    a, b, c = (sum(u * v) / len(x) for u, v in ((x, x), (y, y), (x, y)))
    for _ in range(depth):
        a, b, c = layer(a, a, a), layer(b, b, b), layer(a, b, c)
    return float(c)


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("depth", [1, 3])
def test_equals_its_formula(points, order, depth):
    x, y = points
    expected = np.array([[slow(u, v, order, depth) for v in y] for u in x])
    kernel = ArcCosine(order, depth)
    np.testing.assert_allclose(kernel(jnp.asarray(x), jnp.asarray(y)), expected, rtol=1e-10)
    at = [slow(u, u, order, depth) for u in x]
    np.testing.assert_allclose(kernel.diagonal(jnp.asarray(x)), at, rtol=1e-10)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_is_twice_the_mean_of_powers_of_open_neurons(points, order):
    x = points[0][:3]
    z = x @ np.random.default_rng(2).normal(size=(x.shape[1], 60_000)) / np.sqrt(x.shape[1])
    features = (z > 0) * z**order
    products = 2 * features[:, None] * features[None]
    error = products.std(-1) / np.sqrt(products.shape[-1])
    for other in (0, 1, 2):
        kernel = np.asarray(ArcCosine(other)(jnp.asarray(x)))
        inside = np.all(np.abs(kernel - products.mean(-1)) <= 4 * error)
        assert inside == (other == order)


def test_order_one_is_half_of_the_conjugate_kernel(points):
    x = jnp.asarray(points[0])
    np.testing.assert_allclose(2 * ArcCosine(1, 3)(x), Conjugate(3)(x), rtol=1e-12)


@pytest.mark.parametrize("gap", [1e-12, 1e-8, 1e-4, 1e-2])
@pytest.mark.parametrize("sign", [1, -1])
def test_order_two_keeps_its_digits_near_equal_and_opposite_points(gap, sign):
    x, y = np.array([[1.0, 0.0]]), np.array([[sign * np.cos(gap), np.sin(gap)]])
    found = float(ArcCosine(2)(jnp.asarray(x), jnp.asarray(y))[0, 0])
    np.testing.assert_allclose(found, slow(x[0], y[0], 2, 1), rtol=1e-9, atol=1e-14)


def test_the_origin_is_between_all_directions(points):
    """1[0 > 0] = 1/2: with any other value the Gram matrix of 0, x, −x is indefinite."""
    x = jnp.asarray(np.concatenate([0 * points[0][:1], points[0], -points[0]]))
    gram = np.asarray(ArcCosine(0)(x))
    np.testing.assert_allclose(gram[0], 0.5)
    assert np.linalg.eigvalsh(gram)[0] > -1e-12


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"order": 3}, "order must be 0, 1 or 2"),
        ({"order": "1"}, "order"),
        ({"order": 1, "depth": 0}, "depth"),
    ],
)
def test_refuses_what_is_no_arc_cosine_kernel(fields, said):
    with pytest.raises(InvalidInputError, match=said):
        ArcCosine(**fields)
