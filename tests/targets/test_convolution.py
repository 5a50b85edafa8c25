"""The same base on every patch: values, facts, and layouts that do not exist."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.inputs import Hypercube, Patches, Sphere
from featlearn.targets import convolution, powered, products, series, units
from featlearn.testing import check_target

KEY = jax.random.key(6)
F = products([(0, 1), (1, 2)], 3)
G = products([(0, 1), (0,)], 2)


def test_values() -> None:
    v = np.array([1.0, -1.0, 0.5])
    h = convolution(F, G, 0.3, 2.0, dim=7, stride=2, weights=v)
    x = np.asarray(jax.random.normal(KEY, (6, 7)))
    parts = [np.stack([p[:, 0] * p[:, 1], p[:, 1] * p[:, 2]], 1) for p in
             (x[:, 0:3], x[:, 2:5], x[:, 4:7])]  # fmt: skip
    mixed = sum(w * p for w, p in zip(v, parts, strict=True))
    g = np.stack([mixed[:, 0] * mixed[:, 1], mixed[:, 0]], axis=1)
    np.testing.assert_allclose(h(x), 2 * sum(parts) + 0.3 * g, atol=1e-10)
    np.testing.assert_allclose(h.features(jnp.asarray(x), level=1), np.hstack(parts), atol=1e-10)
    np.testing.assert_allclose(h.features(jnp.asarray(x), level=2), g, atol=1e-10)


def test_facts_hold() -> None:
    pairs = products([(0, 1), (2, 3)], 4)
    both = products([(0, 1), (0, 1)], 2)
    h = convolution(pairs, both, 0.3, dim=8, weights=[1.0, -1.0])
    law = Patches(Hypercube(4), 2)
    check_target(h, law, key=KEY, n=4000)
    facts = h.facts(law)
    assert facts.degree == 4
    np.testing.assert_allclose(facts.second_moment, 2 + 0.09 * 4)
    assert facts.base_complexity == pytest.approx(2 * pairs.complexity(2.0))
    assert h.facts(Hypercube(8)).base_complexity == facts.base_complexity


def test_patches_that_overlap() -> None:
    h = convolution(F, G, 0.3, dim=5, stride=2)
    assert h.facts(Hypercube(5)).degree == 4
    assert h.facts(Hypercube(5)).second_moment is None


def test_one_number_for_each_patch() -> None:
    inner = powered(2, 3, 0.1, key=KEY)
    h = convolution(inner.base, inner.composite, 0.1, dim=6)
    law = Patches(Sphere(3, 1.0), 2)
    assert h.facts(law).base_complexity == pytest.approx(2 * 3**0.5)


GEOMETRIC = units(series.given(lambda i: 0.5**i, range=1.5), [[1.0]], radius=1.5)
LINE = units(series.power(1), [[1.0]])
BAD = {
    "patches that do not end": (
        lambda: convolution(F, G, 0.3, dim=8, stride=2),
        r"Patches of length 3 every 2 coordinates do not end at dim 8\. Give dim = 3 \+ 2",
    ),
    "a patch longer than x": (lambda: convolution(F, G, 0.3, dim=2), "do not end at dim 2"),
    "stride zero": (lambda: convolution(F, G, 0.3, dim=6, stride=0), "stride must be"),
    "weights of another number": (
        lambda: convolution(F, G, 0.3, dim=6, weights=[1.0]),
        r"weights must have shape \(2,\), got \(1,\)",
    ),
    "G of other inputs": (lambda: convolution(F, F, 0.3, dim=6), "G takes 3 inputs"),
    "a series out of its range": (
        lambda: convolution(LINE, GEOMETRIC, 0.3, dim=2),
        r"does not converge for \|z\| ≤ 2",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str) -> None:
    build, message = BAD[name]
    with pytest.raises(InvalidInputError, match=message):
        build()
