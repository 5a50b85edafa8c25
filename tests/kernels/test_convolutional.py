"""Convolutional kernels against a slow reference, finite random networks and exact limits."""

from itertools import pairwise
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn import memory
from featlearn.errors import InvalidInputError
from featlearn.kernels import NTK, Conjugate, ConvolutionalConjugate, ConvolutionalNTK, Kernel
from featlearn.kernels import convolutional as module
from featlearn.testing import convolutional_reference

IMAGE = (3, 4, 2)  # neither square nor of one channel
VARIANCES = {"weight_variance": 1.7, "bias_variance": 0.4}
X, Y = (np.random.default_rng(s).normal(size=(n, *IMAGE)) for s, n in ((0, 3), (1, 2)))
KINDS = {"covariance": ConvolutionalConjugate, "tangent": ConvolutionalNTK}


def rows(images):
    return jnp.asarray(images.reshape(len(images), -1))


def kernel(kind, depth=2, image=IMAGE, **changes):
    return KINDS[kind](depth, image=image, **(VARIANCES | changes))


@pytest.mark.parametrize(
    ("padding", "readout", "depth", "size"),
    [
        ("zero", "flatten", 2, 3),
        ("zero", "pool", 3, 3),
        ("circular", "flatten", 3, 3),
        ("circular", "pool", 2, 5),  # a filter wider than the image
        ("zero", "pool", 1, 7),  # and one that reaches over it from side to side
    ],
)
def test_equals_the_recursion_position_by_position(padding, readout, depth, size):
    form = {"filter_size": size, "padding": padding, "readout": readout}
    pairs = [convolutional_reference(u, Y[0], depth=depth, **form, **VARIANCES) for u in X[:2]]
    for kind in KINDS if readout == "flatten" and padding == "zero" else ["tangent"]:
        found = kernel(kind, depth, **form)(rows(X[:2]), rows(Y[:1]))[:, 0]
        np.testing.assert_allclose(found, [getattr(p, kind) for p in pairs], rtol=1e-10)


@pytest.mark.parametrize(("padding", "readout"), [("zero", "pool"), ("circular", "flatten")])
def test_gram_agrees_with_its_pairs_and_its_diagonal(padding, readout):
    k = kernel("tangent", padding=padding, readout=readout)
    x = rows(np.concatenate([X, np.zeros((1, *IMAGE)), X[:1]]))
    gram = np.asarray(k(x))
    np.testing.assert_allclose(gram, k(x, x), rtol=1e-7)
    np.testing.assert_allclose(gram, gram.T, rtol=1e-13)
    np.testing.assert_allclose(np.diag(gram), k.diagonal(x), rtol=1e-14)
    eigenvalues = np.linalg.eigvalsh(gram)
    assert eigenvalues[0] > -1e-7 * eigenvalues[-1]
    c = np.random.default_rng(2).normal(size=(5, 2))
    np.testing.assert_allclose(k.product(x, x, c), k(x, x) @ c, rtol=1e-10)


def test_a_result_in_single_precision_is_that_in_double_rounded():
    k = kernel("tangent", 1, (1, 2, 1), readout="flatten")
    x = jnp.asarray(X.reshape(3, -1)[:, :2])
    for pair in ((x,), (x, x[:2])):
        single = k(*pair, dtype="float32")
        assert single.dtype == jnp.float32
        np.testing.assert_allclose(single, k(*pair), rtol=1e-6)
    with pytest.raises(InvalidInputError, match='"float32" or "float64"'):
        k(x, dtype="float16")


@pytest.mark.parametrize(
    ("readout", "padding", "size"), [("pool", "zero", 1), ("flatten", "circular", 3)]
)
def test_one_pixel_is_a_fully_connected_network(readout, padding, size):
    x = jnp.asarray(X[:, 0, 0])
    for kind, connected in (("tangent", NTK), ("covariance", Conjugate)):
        k = kernel(kind, 2, (1, 1, 2), padding=padding, readout=readout, filter_size=size)
        np.testing.assert_allclose(k(x), connected(2, **VARIANCES)(x), rtol=1e-12)


def test_a_filter_of_one_pixel_sees_each_pixel_alone():
    """The mean over pixels of the fully connected kernel, over aligned or over all pairs."""
    x, y = X[0].reshape(-1, 2), Y[0].reshape(-1, 2)
    pixels = np.asarray(NTK(2, **VARIANCES)(jnp.asarray(x), jnp.asarray(y)))
    for readout, expected in (("flatten", np.diag(pixels).mean()), ("pool", pixels.mean())):
        k = kernel("tangent", readout=readout, filter_size=1)
        np.testing.assert_allclose(k(rows(X[:1]), rows(Y[:1]))[0, 0], expected, rtol=1e-12)


def test_pooling_with_circular_padding_does_not_see_where_an_image_is():
    moved = np.roll(X, (1, 2), axis=(1, 2))
    invariant = kernel("tangent", padding="circular")
    expected = np.asarray(invariant(rows(X), rows(Y)))
    np.testing.assert_allclose(invariant(rows(moved), rows(Y)), expected, rtol=1e-12)
    for change in ({"padding": "zero"}, {"padding": "circular", "readout": "flatten"}):
        k = kernel("tangent", **change)
        before, after = (np.asarray(k(rows(z), rows(Y))) for z in (X, moved))
        assert np.abs(after / before - 1).max() > 1e-3


class Draws(NamedTuple):
    """Means over networks of ⟨∇f(x), ∇f(y)⟩ and f(x) f(y), and their standard errors."""

    tangent: np.ndarray
    tangent_error: np.ndarray
    covariance: np.ndarray
    covariance_error: np.ndarray


def finite_network(params, x, padding, readout):
    """f of the kernels' docstring by XLA's convolution, on images (n, H, W, C)."""
    weight, bias = VARIANCES["weight_variance"], VARIANCES["bias_variance"]
    *hidden, (last, shift) = params
    for w, b in hidden:
        if padding == "circular":
            x = jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="wrap")
        edges = "VALID" if padding == "circular" else "SAME"
        scale = jnp.sqrt(weight / w[..., 0].size)
        layout = ("NHWC", "HWIO", "NHWC")
        z = jax.lax.conv_general_dilated(x, w, (1, 1), edges, dimension_numbers=layout)
        x = jax.nn.relu(scale * z + jnp.sqrt(bias) * b)
    h = x.mean((1, 2)) if readout == "pool" else x.reshape(x.shape[0], -1)
    last = last[: h.shape[1]]
    return jnp.sqrt(weight / h.shape[1]) * h @ last + jnp.sqrt(bias) * shift


def drawn(padding, readout, widths, count, images):
    """Grams of random networks with 3 × 3 filters and `widths` channels."""
    sizes = (images.shape[-1], *widths)

    def one(key):
        keys = jax.random.split(key, 2 * len(sizes))
        hidden = [
            (
                jax.random.normal(keys[2 * i], (3, 3, a, b)),
                jax.random.normal(keys[2 * i + 1], (b,)),
            )
            for i, (a, b) in enumerate(pairwise(sizes))
        ]
        long = sizes[-1] * images.shape[1] * images.shape[2]
        last = (jax.random.normal(keys[-2], (long,)), jax.random.normal(keys[-1]))

        def f(params):
            return finite_network(params, images, padding, readout)

        jacobian = jax.jacrev(f)([*hidden, last])
        flat = jnp.concatenate(
            [j.reshape(images.shape[0], -1) for j in jax.tree.leaves(jacobian)], axis=1
        )
        value = f([*hidden, last])
        return flat @ flat.T, jnp.outer(value, value)

    keys = jax.random.split(jax.random.key(5), count)
    grams = jax.jit(lambda keys: jax.lax.map(one, keys, batch_size=250))(keys)
    means = [(g.mean(0), g.std(0, ddof=1) / np.sqrt(count)) for g in map(np.asarray, grams)]
    return Draws(*means[0], *means[1])


def inside(found, means, errors, bias):
    found = np.asarray(found)
    return bool(np.all(np.abs(found - means) <= 4 * errors + bias * np.abs(found)))


WRONG = (
    {"weight_variance": 0.85},
    {"bias_variance": 0.0},
    {"filter_size": 1},
)


@pytest.mark.parametrize(("padding", "readout"), [("zero", "pool"), ("circular", "flatten")])
def test_is_the_mean_of_finite_networks_and_others_are_not(padding, readout):
    """One hidden layer: the means are exact at any width. Each wrong kernel must be rejected."""
    images = jnp.asarray(X[:2])
    draws = drawn(padding, readout, (3,), 4000, images)
    form = {"padding": padding, "readout": readout}
    other = {
        "padding": "zero" if padding == "circular" else "circular",
        "readout": "pool" if readout == "flatten" else "flatten",
    }

    def accepted(kind, **changes):
        k = kernel(kind, **({"depth": 1} | form | changes))
        mean, error = getattr(draws, kind), getattr(draws, f"{kind}_error")
        return inside(k(rows(X[:2])), mean, error, 0.0)

    assert accepted("covariance")
    assert accepted("tangent")
    wrong = [
        *(WRONG if readout == "pool" else ()),
        {"readout": other["readout"]},
        {"padding": other["padding"]},
    ]
    assert not any(accepted("tangent", **change) for change in wrong)


def test_two_layers_are_the_mean_of_finite_networks():
    """The first layer's covariances fluctuate with relative variance at most 5/m: 4/m is allowed
    for the bias that this leaves in the mean, as for fully connected networks."""
    small = jnp.asarray(X[:2, :2, :2])
    draws = drawn("zero", "pool", (48, 3), 250, small)
    for change in ({}, {"weight_variance": 0.85}, {"bias_variance": 0.0}):
        found = kernel("tangent", 2, (2, 2, 2), **change)(small.reshape(2, -1))
        accepted = inside(found, draws.tangent, draws.tangent_error, 4 / 48)
        assert accepted == (not change)


@pytest.mark.parametrize(("kind", "readout"), [("covariance", "pool"), ("tangent", "flatten")])
def test_tiles_equal_the_whole(kind, readout, monkeypatch):
    """The block is read when a program is compiled: these shapes occur nowhere else."""
    rng = np.random.default_rng(3)
    x, y = (rng.normal(size=(n, 2 * 3)) for n in (5, 4))
    k = kernel(kind, image=(2, 3, 1), readout=readout)
    whole, same = k._pairs(*map(k._images, (x, y))), k._pairs(k._images(x), k._images(x))
    each = module.pair_bytes(2, (2, 3, 1), 3, "zero", readout)
    monkeypatch.setattr(module, "device_budget", lambda: 4 * each)
    assert k._block(5, 4) == 2
    np.testing.assert_allclose(k(jnp.asarray(x), jnp.asarray(y)), whole, rtol=1e-12)
    np.testing.assert_allclose(k(jnp.asarray(x)), same, rtol=1e-7)


@pytest.mark.parametrize("readout", ["flatten", "pool"])
def test_a_pair_takes_no_more_than_was_estimated(readout):
    k = kernel("tangent", image=(16, 16, 3), readout=readout)
    one = jnp.zeros((1, 16, 16, 3))
    jax.config.update("jax_disable_most_optimizations", False)  # as users compile it
    try:
        compiled = jax.jit(k._pairs).lower(one, one).compile().memory_analysis()
    finally:
        jax.config.update("jax_disable_most_optimizations", True)
    estimated = module.pair_bytes(2, (16, 16, 3), 3, "zero", readout)
    taken = compiled.temp_size_in_bytes + compiled.argument_size_in_bytes
    assert 0.9 * taken <= estimated


def test_pairs_that_cannot_fit_are_refused_before_they_start(monkeypatch):
    monkeypatch.setattr(memory, "device_bytes", lambda: 2**30)
    large = np.zeros((2, 96 * 96))
    with pytest.raises(InvalidInputError, match=r"single pair of 96 × 96 .* readout='flatten'"):
        ConvolutionalNTK(2, image=(96, 96, 1))(large)
    many = np.zeros((10_000, 4))
    with pytest.raises(InvalidInputError, match=r"10000 × 10000 images needs .* fewer images"):
        ConvolutionalNTK(2, image=(2, 2, 1))(many)


def test_gradients_are_finite_where_formulas_are_not():
    k = kernel("tangent", image=(2, 2, 1))
    slope = jax.jit(jax.grad(lambda x, y: k(x, y)[0, 0]))
    one = jnp.array([[0.3, -1.2, 0.5, 0.3]])
    for x, y in ((one, one), (one, -one), (0 * one, one), (0 * one, 0 * one)):
        assert np.all(np.isfinite(slope(x, y)))


def test_stacked_variances_give_each_kernel_of_the_stack():
    x = rows(X)
    biases = jnp.array([0.0, 0.3])
    stacked = jax.vmap(lambda b: kernel("tangent", bias_variance=b).between(x, x))(biases)
    for each, bias in zip(stacked, (0.0, 0.3), strict=True):
        expected = kernel("tangent", bias_variance=bias).between(x, x)
        np.testing.assert_allclose(each, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"depth": 0}, "depth"),
        ({"image": (3, 4)}, "image must be"),
        ({"image": (3, 0, 1)}, "image must be"),
        ({"filter_size": 2}, "odd"),
        ({"filter_size": 3.0}, "odd"),
        ({"padding": "same"}, "padding"),
        ({"readout": "gap"}, "readout"),
        ({"weight_variance": 0.0}, "weight_variance"),
        ({"bias_variance": -1.0}, "bias_variance"),
    ],
)
def test_refuses_what_is_no_network(fields, said):
    with pytest.raises(InvalidInputError, match=said):
        kernel("tangent", **fields)


def test_refuses_rows_that_are_no_images():
    k = kernel("tangent")
    assert isinstance(k, Kernel)
    for x in (np.zeros((2, 23)), X):
        with pytest.raises(InvalidInputError, match=r"rows of 24 numbers|shape \(n, d\)"):
            k(x)
