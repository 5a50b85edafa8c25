"""Every fact that a teacher declares is true under every law: one check for all."""

from math import sqrt

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn import inputs, targets
from featlearn.testing import check_target

D = 4
KEY = jax.random.key(3)
RNG = np.random.default_rng(0)
DIRECTIONS = RNG.normal(size=(D, 2))
COVARIANCE = np.diag([0.5, 1.0, 1.5, 0.8]) + 0.2
SHIFTED = inputs.Gaussian(D, mean=[0.5, -0.3, 0.2, 0.0], covariance=COVARIANCE)
SINGULAR = inputs.Gaussian(D, covariance=np.outer(DIRECTIONS[:, 0], DIRECTIONS[:, 0]))

LAWS = {
    "standard": inputs.Gaussian(D),
    "shifted anisotropic": SHIFTED,
    "diagonal": inputs.Gaussian(D, covariance=[0.3, 1.0, 2.0, 0.0]),
    "mixture": inputs.Mixture([SHIFTED, inputs.Gaussian(D), SINGULAR], [0.5, 0.3, 0.2]),
    "mixture with a cube": inputs.Mixture([SHIFTED, inputs.Hypercube(D)]),
    "hypercube": inputs.Hypercube(D),
    "sphere": inputs.Sphere(D),
    "uniform": inputs.Uniform(D),
}
TARGETS = {
    "single index": targets.single_index({0: 0.3, 1: 0.5, 3: 0.2}, D, key=KEY),
    "single index of given direction": targets.single_index(
        {2: 0.5, 4: 0.1}, D, direction=jnp.arange(1.0, D + 1)
    ),
    "multi index": targets.multi_index({(2, 0): 0.5, (1, 1): 0.3, (0, 3): 0.1}, D, key=KEY),
    "given directions": targets.multi_index(
        {(0, 0): 1.0, (2, 0): 0.5, (1, 1): 0.3}, D, directions=DIRECTIONS
    ),
    "representation, p = 2": targets.representation(2, D, key=KEY),
    "representation, p = 3": targets.representation(3, D, key=KEY),
    "representation, p = 4": targets.representation(4, D, key=KEY),
    "rank-deficient H": targets.multi_index({(2, 0): 1 / sqrt(2), (0, 3): 0.3}, D, key=KEY),
    "H = 0": targets.multi_index({(1, 1, 1): 1.0}, D, key=KEY),
    "a direction that does not occur": targets.multi_index(
        {(2, 0, 1): 0.5, (0, 0, 2): 0.5}, D, key=KEY
    ),
    "two directions that enter as one": targets.multi_index(
        {(2, 0): 0.5, (1, 1): 1.0, (0, 2): 0.5}, D, key=KEY
    ),
}
DENSE = targets.dense(D, (2, 1), (1.0, 0.3), kappa=2.0, signs="random", key=KEY)
HIERARCHIES = {
    "dense": DENSE,
    "dense, fixed first layer": targets.dense(D, (2, 1), (1.0, 0.2), first_layer="fixed", key=KEY),
    "toy (a)": targets.toy("rich", D, 0.3),
    "toy (b)": targets.toy("correction", D, 0.3),
    "toy (c)": targets.toy("contamination", D, 0.1),
    "toy (d)": targets.toy("quartic", D, 0.1),
    "half space": targets.halfspace(DENSE, n=10_000, key=KEY),
    "model error": targets.agnostic(DENSE, 0.05, frequency=2.0, key=KEY),
    "parity": targets.parity(3, D),
    "parity network": targets.parity_network(4, D),
}


@pytest.mark.parametrize("law", ["standard", "mixture", "uniform"])
@pytest.mark.parametrize("target", HIERARCHIES)
def test_declared_facts_of_hierarchies(target: str, law: str) -> None:
    check_target(HIERARCHIES[target], LAWS[law], key=KEY)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("target", TARGETS)
def test_declared_facts(target: str, law: str) -> None:
    check_target(TARGETS[target], LAWS[law], key=KEY)


@pytest.mark.parametrize("target", TARGETS)
def test_moments_are_declared_under_gaussians_and_their_mixtures(target: str) -> None:
    for law in ("standard", "shifted anisotropic", "mixture"):
        facts = TARGETS[target].facts(LAWS[law])
        for name in ("mean", "second_moment", "linear", "hessian", "subspace", "degree"):
            assert getattr(facts, name) is not None, (law, name)
    assert TARGETS[target].facts(LAWS["standard"]).information_exponent is not None
    assert TARGETS[target].facts(LAWS["hypercube"]).mean is None
