"""Points, a slow reference of infinitely wide ReLU networks, and finite ones drawn at random."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

WEIGHT, BIAS = 1.7, 0.4  # σ_w² and σ_b² of the drawn networks: neither 1, 2 nor equal


@pytest.fixture(autouse=True, scope="module")
def _quick_compilation():
    """These programs run for milliseconds and compile for seconds."""
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


@pytest.fixture(scope="session")
def points():
    rng = np.random.default_rng(7)
    return rng.normal(size=(9, 4)), 1.5 * rng.normal(size=(7, 4))


class Slow(NamedTuple):
    """Σ_L and Θ_L of one pair of points."""

    covariance: float
    tangent: float


def slow_relu_network(x, y, depth, weight, bias):
    """The recursions of the docstrings, pair by pair, in extended precision and with arccos."""
    big = np.longdouble
    x, y, weight, bias = x.astype(big), y.astype(big), big(weight), big(bias)
    pi = 4 * np.arctan(big(1))
    a, b, c = (weight * sum(u * v) / len(x) + bias for u, v in ((x, x), (y, y), (x, y)))
    tangent = c
    for _ in range(depth):
        length = np.sqrt(a * b)
        angle = np.arccos(np.clip(c / length, -1, 1))
        both = length * (np.sin(angle) + (pi - angle) * np.cos(angle)) / (2 * pi)
        slope = (pi - angle) / (2 * pi)
        a, b, c = weight * a / 2 + bias, weight * b / 2 + bias, weight * both + bias
        tangent = c + tangent * weight * slope
    return Slow(float(c), float(tangent))


@pytest.fixture(scope="session")
def slow_relu():
    def gram(x, y, depth, weight, bias):
        pairs = [[slow_relu_network(u, v, depth, weight, bias) for v in y] for u in x]
        return Slow(
            np.array([[p.covariance for p in row] for row in pairs]),
            np.array([[p.tangent for p in row] for row in pairs]),
        )

    return gram


def network(parameters, x, weight, bias):
    """f of `NTK`'s docstring: the last layer has one output."""
    h = x
    *hidden, (last, shift) = parameters
    for w, b in hidden:
        h = jax.nn.relu(jnp.sqrt(weight / h.size) * w @ h + jnp.sqrt(bias) * b)
    return jnp.sqrt(weight / h.size) * last @ h + jnp.sqrt(bias) * shift


def draw_parameters(key, sizes):
    """N(0, 1) for every weight and bias; the output is a number."""
    keys = jax.random.split(key, 2 * len(sizes))
    shapes = [*zip(sizes[1:], sizes[:-1], strict=True)]
    hidden = [
        (jax.random.normal(keys[2 * i], s), jax.random.normal(keys[2 * i + 1], s[:1]))
        for i, s in enumerate(shapes)
    ]
    return [*hidden, (jax.random.normal(keys[-2], sizes[-1:]), jax.random.normal(keys[-1]))]


class Draws(NamedTuple):
    """Means over networks of ⟨∇f(x), ∇f(y)⟩ and f(x) f(y), their errors, and the bias allowed."""

    x: np.ndarray
    tangent: np.ndarray
    tangent_error: np.ndarray
    output: np.ndarray
    output_error: np.ndarray
    bias: float  # relative, from the finite width


def networks(key, x, widths, count, bias):
    """Grams over `count` random networks with hidden layers of `widths`."""
    sizes = (x.shape[1], *widths)

    def one(key):
        parameters = draw_parameters(key, sizes)
        at = jax.vmap(jax.value_and_grad(network), in_axes=(None, 0, None, None))
        value, gradient = at(parameters, x, WEIGHT, BIAS)
        flat = jnp.concatenate(
            [g.reshape(x.shape[0], -1) for g in jax.tree.leaves(gradient)], axis=1
        )
        return flat @ flat.T, jnp.outer(value, value)

    run = jax.jit(lambda keys: jax.lax.map(one, keys, batch_size=500))
    grams = [np.asarray(g) for g in run(jax.random.split(key, count))]
    (t, t_error), (o, o_error) = ((g.mean(0), g.std(0, ddof=1) / np.sqrt(count)) for g in grams)
    return Draws(np.asarray(x), t, t_error, o, o_error, bias)


@pytest.fixture(scope="session")
def drawn_networks():
    """By depth. The means of one hidden layer are exact at any width.

    With two, the first layer's covariance fluctuates about its limit with relative variance
    (E relu⁴/(E relu²)² − 1)/m = 5/m at most, and the mean is off by half the kernel's curvature
    times that: 4/m is allowed.
    """
    x = jnp.asarray(np.random.default_rng(3).normal(size=(4, 3)))
    one, two = jax.random.split(jax.random.key(0))
    return {
        1: networks(one, x, (3,), 20_000, 0.0),
        2: networks(two, x, (160, 3), 2000, 4 / 160),
    }


def inside(kernel, means, errors, bias):
    """Whether every entry is within 4 standard errors, and the stated bias, of the means."""
    kernel = np.asarray(kernel)
    return bool(np.all(np.abs(kernel - means) <= 4 * errors + bias * np.abs(kernel)))


@pytest.fixture(scope="session")
def within_band():
    return inside


@pytest.fixture(scope="session")
def drawn_variances():
    return {"weight_variance": WEIGHT, "bias_variance": BIAS}
