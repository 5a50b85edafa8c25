"""Layers against loops in NumPy; shapes that do not fit are refused."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.networks import Conv, Dense, Description, Flatten, MeanPool, Skip
from featlearn.networks.layers import apply_all, draw_all

RNG = np.random.default_rng(0)
KEY = jax.random.key(0)
FLAT = RNG.normal(size=(3, 5)).astype(np.float32)
IMAGES = RNG.normal(size=(2, 5, 4, 3)).astype(np.float32)


def run(layer, x):
    drawn = layer.draw(KEY, x.shape[1:])
    return drawn.trained, layer.apply(drawn.trained, drawn.frozen, jnp.asarray(x))


def with_bias(trained, values):
    return {**trained, "bias": jnp.asarray(values, jnp.float32)}


def test_dense_is_a_matrix_product_and_what_follows():
    layer = Dense(4, "relu", bias=True)
    trained = with_bias(layer.draw(KEY, (5,)).trained, [0.1, -0.2, 0.3, 0.0])
    out, seen = layer.apply(trained, {}, FLAT)
    z = FLAT @ np.asarray(trained["weight"]).T + np.asarray(trained["bias"])
    np.testing.assert_allclose(seen[0], z, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(out, np.maximum(z, 0), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("size", "stride"), [(3, 1), (2, 1), (3, 2)])
def test_conv_is_a_sum_over_patches(size, stride):
    layer = Conv(2, size=size, stride=stride)
    trained, (out, seen) = run(layer, IMAGES)
    weight = np.asarray(trained["weight"])
    height, width = (-(-side // stride) for side in IMAGES.shape[1:3])
    assert seen == ()
    assert layer.shape(IMAGES.shape[1:]) == out.shape[1:] == (height, width, 2)
    missing = [max((n - 1) * stride + size - side, 0) for n, side in
               zip((height, width), IMAGES.shape[1:3], strict=True)]  # fmt: skip
    before = [m // 2 for m in missing]
    padded = np.pad(IMAGES, [(0, 0), *((b, m - b) for b, m in zip(before, missing, strict=True)),
                             (0, 0)])  # fmt: skip
    wanted = np.zeros(out.shape)
    for i in range(height):
        for j in range(width):
            top, left = i * stride, j * stride
            patch = padded[:, top : top + size, left : left + size]
            wanted[:, i, j] = np.einsum("nabc,abco->no", patch, weight)
    np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-5)


def test_skip_adds_its_input():
    inner = Dense(5, "relu")
    _, (plain, _) = run(inner, FLAT)
    skip = Skip(inner)
    drawn = inner.draw(KEY, (5,))
    out, seen = skip.apply((drawn.trained,), (drawn.frozen,), FLAT)
    np.testing.assert_allclose(out, FLAT + plain, rtol=1e-6)
    assert len(seen) == 1


def test_pooling_and_flattening():
    np.testing.assert_allclose(run(MeanPool(), IMAGES)[1].out, IMAGES.mean((1, 2)), rtol=1e-5)
    np.testing.assert_array_equal(run(Flatten(), IMAGES)[1].out, IMAGES.reshape(2, -1))
    assert Flatten().shape((5, 4, 3)) == (60,)


@pytest.mark.parametrize(
    ("layer", "shape", "variance"),
    [
        (Dense(300), (200,), 2 / 200),
        (Dense(300, variance=0.3), (200,), 0.3),
        (Conv(200, size=3), (4, 4, 30), 2 / (9 * 30)),
    ],
)
def test_weights_have_the_variance_that_is_asked_for(layer, shape, variance):
    """In a band of 4 standard errors, √(2/entries) relative for a Gaussian's square."""
    weight = np.asarray(layer.draw(KEY, shape).trained["weight"], np.float64)
    band = 4 * np.sqrt(2 / weight.size)
    assert abs(np.mean(weight**2) / variance - 1) < band
    assert abs(np.mean(weight**2) / (1.1 * variance) - 1) > band
    assert layer.draw(KEY, shape).trained["weight"].dtype == jnp.float32


def test_a_bias_starts_at_zero_or_is_drawn_like_a_weight():
    still, drawn = (
        Dense(4000, bias=b, variance=0.3).draw(KEY, (2,)).trained for b in (True, "drawn")
    )
    np.testing.assert_array_equal(still["bias"], 0)
    np.testing.assert_array_equal(still["weight"], drawn["weight"])
    square = np.mean(np.asarray(drawn["bias"], np.float64) ** 2)
    assert abs(square / 0.3 - 1) < 4 * np.sqrt(2 / 4000)
    assert np.abs(np.corrcoef(drawn["bias"], drawn["weight"][:, 0])[0, 1]) < 4 / np.sqrt(4000)


def test_layers_in_a_row_draw_from_keys_of_their_own():
    layers = (Dense(5), Dense(5))
    drawn = draw_all(layers, KEY, (5,))
    first, second = (np.asarray(weights["weight"]) for weights in drawn.trained)
    assert np.abs(first - second).max() > 0.1
    out = apply_all(layers, drawn.trained, drawn.frozen, FLAT).out
    np.testing.assert_allclose(out, FLAT @ first.T @ second.T, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Dense(0), "width of at least 1"),
        (lambda: Dense(2.5), "width of at least 1"),
        (lambda: Conv(3, stride=0), "stride of at least 1"),
        (lambda: Dense(3, "tanh"), "after must be"),
        (lambda: Dense(3, bias="random"), "bias must be"),
        (lambda: Dense(3, variance=0.0), "variance must be positive"),
        (lambda: Description((4, 4, 3), Dense(2)), "put Flatten"),
        (lambda: Description(4, Conv(2)), r"shape \(height, width, channels\)"),
        (lambda: Description(4, MeanPool()), "MeanPool takes"),
        (lambda: Description(4, Skip(Dense(3))), "make them equal"),
    ],
)
def test_refuses_layers_that_cannot_be_or_do_not_fit(make, says):
    with pytest.raises(InvalidInputError, match=says):
        make()
