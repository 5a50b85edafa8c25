"""H = βF + αG(F): values, complexities, the published targets, and what does not fit together."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn import Task
from featlearn.errors import InvalidInputError
from featlearn.inputs import Hypercube, Sphere
from featlearn.targets import (
    from_function,
    pair_products,
    powered,
    products,
    residual,
    series,
    single_index,
    units,
)
from featlearn.testing import check_target

KEY = jax.random.key(5)
PAIRS = products([(0, 1), (2, 3)], 4)
BOTH = products([(0, 1), (0, 1)], 2)


def test_values_and_features() -> None:
    h = residual(PAIRS, BOTH, alpha=0.3, beta=2.0)
    x = jax.random.normal(KEY, (8, 4))
    f = jnp.stack([x[:, 0] * x[:, 1], x[:, 2] * x[:, 3]], axis=1)
    g = jnp.stack([f.prod(axis=1)] * 2, axis=1)
    np.testing.assert_allclose(h(x), 2 * f + 0.3 * g, atol=1e-12)
    np.testing.assert_allclose(h.features(x, level=1), f, atol=1e-12)
    np.testing.assert_allclose(h.features(x, level=2), g, atol=1e-12)


def test_any_f_and_any_g() -> None:
    f = from_function(lambda x: jnp.tanh(x @ jnp.ones((3, 2), x.dtype)), 3)
    g = from_function(lambda y: jnp.abs(y[:, ::-1]), 2)
    x = jax.random.normal(KEY, (8, 3))
    np.testing.assert_allclose(residual(f, g, 0.5)(x), f(x) + 0.5 * jnp.abs(f(x)[:, ::-1]))
    one = residual(single_index({2: 1.0}, 3, key=KEY), single_index({3: 1.0}, 1, key=KEY), 0.1)
    assert one(x).shape == (8,)


@pytest.mark.parametrize(("version", "line", "outputs"), [("slides", 0.72, 8), ("later", 1.35, 15)])
def test_published_versions(version: Any, line: float, outputs: int) -> None:
    """The error of F alone is kα²; the numbers of the documents."""
    task = Task(Hypercube(30), pair_products(version))
    sample = task.sample(KEY, 4000)
    f = task.target.features(sample.x, level=1)
    gap = (sample.y - f) ** 2
    assert sample.y.shape == (4000, outputs)
    assert float(gap.sum(axis=1).mean()) == pytest.approx(line, rel=1e-5)  # every G_i is ±1


def test_the_outputs_of_g() -> None:
    x = Hypercube(30).sample(KEY, 50)
    pairs = x[:, ::2] * x[:, 1::2]
    first, second = pairs[:, :4].prod(axis=1), pairs[:, 4:8].prod(axis=1)
    slides = pair_products("slides").features(x, level=2)
    np.testing.assert_array_equal(slides, jnp.stack([first] * 4 + [second] * 4, axis=1))
    later = pair_products("later").features(x, level=2)
    np.testing.assert_array_equal(later[:, 0], -first)
    np.testing.assert_array_equal(later[:, 13], first)


def test_facts_of_the_published_versions() -> None:
    version = "slides"
    target = pair_products(version, alpha=0.3, beta=0.5)
    facts = target.facts(Hypercube(30))
    k = len(facts.second_moment)
    np.testing.assert_allclose(facts.second_moment, 0.25 + 0.09)
    assert facts.gaps == pytest.approx((0.5, 0.3))
    assert (facts.degree, facts.subspace.shape[1]) == (8, 2 * k)
    assert facts.base_complexity == pytest.approx(k * series.product_complexity(2, 30**0.5))
    assert facts.composite_complexity == pytest.approx(k * series.product_complexity(4))
    assert facts.composed_complexity == pytest.approx(k * series.product_complexity(8, 30**0.5))
    assert facts.composed_complexity > 1000 * facts.base_complexity


def test_facts_of_products_hold() -> None:
    check_target(residual(PAIRS, BOTH, 0.3), Hypercube(4), key=KEY, n=4000)


def test_facts_of_powers_hold() -> None:
    p = 3
    target = powered(p, 3, 0.2, key=KEY)
    check_target(target, Sphere(3, 1.0), key=KEY, n=4000)
    facts = target.facts(Sphere(3, 1.0))
    assert facts.base_complexity == pytest.approx(3**0.5)
    assert facts.composite_complexity == pytest.approx(p)
    assert facts.composed_complexity == pytest.approx(p * 3 ** (p / 2))


def test_complexity_over_a_linear_f() -> None:
    """sin of a mixture of coordinates is one unit along that mixture."""
    f = units(series.power(1, 2.0), np.eye(3), outputs=[0, 1, 2])
    v = np.array([[0.6], [0.8], [0.0]])
    g = units([series.sine()] * 3, np.tile(v, 3), outputs=[0, 1, 2], radius=4.0)
    facts = residual(f, g, 0.1).facts(Sphere(3, 1.0))
    assert facts.composed_complexity == pytest.approx(3 * series.sine().complexity(2.0))
    assert facts.degree is None


def test_a_squared_coordinate_leaves_the_composition_open() -> None:
    f = products([(0, 1), (0, 2)], 3)
    facts = residual(f, BOTH, 0.3).facts(Hypercube(3))
    assert facts.composed_complexity is None
    assert facts.second_moment is None
    assert (facts.degree, facts.subspace.shape) == (4, (3, 3))


def test_strengths_stack() -> None:
    fleet = jax.vmap(lambda a: residual(PAIRS, BOTH, a))(jnp.array([0.1, 0.4]))
    x = jax.random.normal(KEY, (5, 4))
    y = jax.vmap(lambda h: h(x))(fleet)
    np.testing.assert_allclose(y[1], residual(PAIRS, BOTH, 0.4)(x), rtol=1e-9)


GEOMETRIC = series.given(lambda i: 0.5**i, range=1.0)
BAD = {
    "G of other inputs": (
        lambda: residual(PAIRS, products([(0, 1)] * 2, 3), 0.3),
        "G takes 3 inputs and F gives 2 outputs",
    ),
    "G of other outputs": (
        lambda: residual(PAIRS, products([(0, 1)], 2), 0.3),
        "G gives 1 outputs, to be added to the 2 of F",
    ),
    "a series that does not converge where F goes": (
        lambda: residual(units(series.power(1, 3.0), [[1.0]]), units(GEOMETRIC, [[1.0]]), 0.3),
        r"does not converge for \|z\| ≤ 3, the range it will see",
    ),
    "nothing left": (lambda: residual(PAIRS, BOTH, 0.0, 0.0), "the target is constant"),
    "alpha of a shape": (lambda: residual(PAIRS, BOTH, [0.1]), r"alpha must have shape \(\)"),
    "a version that is none": (lambda: pair_products("first"), "got 'first'"),
    "a function of no labels": (lambda: from_function(lambda x: x.sum(), 3), "labels"),
    "a set with a coordinate twice": (lambda: products([(0, 0)], 3), r"got \[0, 0\]"),
    "a set outside": (lambda: products([(0, 3)], 3), r"0 … 2"),
    "a factor of zero": (lambda: products([(0,)], 3, factors=[0.0]), "A factor is 0"),
    "a power of one": (lambda: powered(1, 3, 0.1, key=KEY), "at least 2, got 1"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str) -> None:
    build, message = BAD[name]
    with pytest.raises(InvalidInputError, match=message):
        build()
