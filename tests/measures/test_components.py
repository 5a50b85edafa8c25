from math import factorial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermegauss, hermeval

import featlearn as fl
from featlearn.errors import InvalidInputError
from featlearn.measures import degree_parts, projection
from featlearn.measures.components import hermite_features, parts_of_degrees

KEY = jax.random.key(5)
N = 8000
C2, C4 = 0.5, 0.1443
TARGET = fl.targets.single_index({2: C2, 4: C4}, dim=4, direction=[1.0, 0.0, 0.0, 0.0])
TASK = fl.Task(fl.inputs.Gaussian(4), TARGET)


class Mixed(eqx.Module):
    """a·He2(x_0) + b·He4(x_0) + c·x_1x_2: the last is no function of Uᵀx."""

    a: Any
    b: Any
    c: Any

    def __call__(self, x: jax.Array) -> jax.Array:
        z = x[:, 0]
        return self.a * he(2, z) + self.b * he(4, z) + self.c * x[:, 1] * x[:, 2]


def he(k: int, z: Any) -> Any:
    return {2: z**2 - 1, 3: z**3 - 3 * z, 4: z**4 - 6 * z**2 + 3}[k]


def mixed(a: float, b: float, c: float = 0.0) -> Mixed:
    return Mixed(*(jnp.asarray(float(v)) for v in (a, b, c)))


def test_the_he2_part_alone_is_learned_at_degree_2_and_not_at_4() -> None:
    """What a kernel learns between d² and d^p samples."""
    parts = degree_parts(mixed(C2, 0), TASK, key=KEY, n=N)
    expected = [np.nan, np.nan, 1, np.nan, 0]
    np.testing.assert_allclose(parts.learned.value, expected, atol=1e-6)
    assert np.all(np.asarray(parts.learned.stderr)[[2, 4]] < 1e-6)
    np.testing.assert_allclose(parts.energy[jnp.array([2, 4])], [2 * C2**2, 24 * C4**2], rtol=1e-5)
    np.testing.assert_allclose(parts.predicted_energy, [0, 0, 2 * C2**2, 0, 0], atol=1e-5)


def test_shares_are_linear_in_the_predictions() -> None:
    parts = degree_parts(mixed(0.7 * C2, -0.4 * C4), TASK, key=KEY, n=N)
    np.testing.assert_allclose(parts.learned.value[jnp.array([2, 4])], [0.7, -0.4], atol=1e-5)


def test_what_is_foreign_to_the_subspace_enters_the_standard_error_only() -> None:
    """f = 0.7 He2-part + x_1x_2: its coefficient on h_2 has variance E h_2² (x_1x_2)²/n = 1/n."""
    parts = degree_parts(mixed(0.7 * C2, 0.7 * C4, 1.0), TASK, key=KEY, n=N)
    value, error = (np.asarray(a)[[2, 4]] for a in (parts.learned.value, parts.learned.stderr))
    assert np.all(np.abs(value - 0.7) < 4 * error)
    expected = 1 / (N**0.5 * np.array([2**0.5 * C2, 24**0.5 * C4]))
    np.testing.assert_allclose(error, expected, rtol=0.25)
    quarter = degree_parts(mixed(0.7 * C2, 0.7 * C4, 0.25), TASK, key=KEY, n=N).learned.stderr
    np.testing.assert_allclose(error, 4 * np.asarray(quarter)[[2, 4]], rtol=1e-3)


def test_one_share_for_all_degrees_would_not_tell_them_apart() -> None:
    """E f f* / E f*² is 0.5 for the He2 part of a teacher with equal parts, and for half of it."""
    z, weight = hermegauss(20)
    weight = weight / weight.sum()
    truth = C2 * he(2, z) + C4 * he(4, z)
    whole = weight @ (C2 * he(2, z) * truth) / (weight @ truth**2)
    assert whole == pytest.approx(0.5, abs=1e-3)
    half = degree_parts(mixed(C2 / 2, C4 / 2), TASK, key=KEY, n=N).learned.value
    part = degree_parts(mixed(C2, 0), TASK, key=KEY, n=N).learned.value
    assert abs(float(half[2]) - float(part[2])) > 0.4


def test_cross_terms_belong_to_their_total_degree() -> None:
    """Of 0.5·He2(z_1) + 0.3·z_1z_2 the second is 0.09 of 0.59."""
    frame = np.eye(4)[:, :2]
    target = fl.targets.multi_index({(2, 0): 0.5, (1, 1): 0.3}, 4, directions=frame)
    task = fl.Task(fl.inputs.Gaussian(4), target)
    parts = degree_parts(lambda x: 0.3 * x[:, 0] * x[:, 1], task, key=KEY, n=N)
    assert float(parts.energy[2]) == pytest.approx(0.59, rel=1e-4)
    assert float(parts.learned.value[2]) == pytest.approx(0.09 / 0.59, rel=1e-4)
    turned = jnp.asarray(frame) @ jnp.array([[0.6, -0.8], [0.8, 0.6]])
    again = degree_parts(
        lambda x: 0.3 * x[:, 0] * x[:, 1], task, key=KEY, n=N, basis=turned, degree=2
    )
    assert float(again.learned.value[2]) == pytest.approx(0.09 / 0.59, rel=1e-4)


def test_features_are_orthonormal_under_gaussian_inputs() -> None:
    """Exactly, by quadrature; without the factorials they are not."""
    z, weight = hermegauss(12)
    grid = np.stack(np.meshgrid(z, z), -1).reshape(-1, 2)
    weights = np.outer(weight, weight).ravel() / weight.sum() ** 2
    indices = [(0, 0), (1, 0), (2, 0), (1, 1), (0, 3), (2, 2), (4, 0)]
    h = np.asarray(hermite_features(jnp.asarray(grid), indices))
    np.testing.assert_allclose((h * weights[:, None]).T @ h, np.eye(7), atol=1e-10)
    he4 = hermeval(grid[:, 0], [0, 0, 0, 0, 1])
    np.testing.assert_allclose(h[:, 6], he4 / factorial(4) ** 0.5, atol=1e-10)
    assert weights @ he4**2 == pytest.approx(24)


@pytest.mark.parametrize("shape", [(10, 1), (10, 2)])
def test_several_outputs_have_no_parts_of_degrees(shape) -> None:
    with pytest.raises(InvalidInputError, match="one output"):
        parts_of_degrees(jnp.ones((10, 1)), jnp.ones(shape), jnp.ones(10), 2)


class Silent(fl.targets.Target):
    """A teacher that declares nothing."""

    dim: int = eqx.field(static=True, default=4)

    def __call__(self, x: jax.Array) -> jax.Array:
        return C2 * he(2, x[:, 0]) + C4 * he(4, x[:, 0])

    def facts(self, inputs: fl.inputs.Inputs) -> fl.targets.Facts:
        return fl.targets.Facts()


def test_teachers_that_declare_nothing_are_measured_with_what_is_given() -> None:
    task = fl.Task(fl.inputs.Gaussian(4), Silent())
    with pytest.raises(InvalidInputError, match="basis="):
        degree_parts(mixed(C2, 0), task, key=KEY, n=N)
    with pytest.raises(InvalidInputError, match="degree="):
        degree_parts(mixed(C2, 0), task, key=KEY, n=N, basis=jnp.eye(4)[:, :1])
    given = degree_parts(mixed(C2, 0), task, key=KEY, n=N, basis=jnp.eye(4)[:, :1], degree=4)
    np.testing.assert_allclose(given.learned.value, [np.nan, np.nan, 1, np.nan, 0], atol=1e-6)


def _he2(x: jax.Array) -> jax.Array:
    return he(2, x[:, 0])


def _he4(x: jax.Array) -> jax.Array:
    return he(4, x[:, 0])


def _fourth_power(x: jax.Array) -> jax.Array:
    return x[:, 0] ** 4


def test_projection_is_the_coefficient_on_a_function() -> None:
    fit = mixed(C2, 0, 0.5)
    for component, coefficient in ((_he2, C2), (_he4, 0.0)):
        found = projection(fit, component, TASK, key=KEY, n=N)
        assert abs(float(found.value) - coefficient) < 4 * float(found.stderr)
    raw = projection(mixed(C2, 0), _fourth_power, TASK, key=KEY, n=N)
    closed = C2 * (15 - 3) / 105  # E z⁴(z² − 1) / E z⁸: powers are not orthogonal to He2
    assert abs(float(raw.value) - closed) < 4 * float(raw.stderr)
    assert float(raw.value) > 4 * float(raw.stderr)
