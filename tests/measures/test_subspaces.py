from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import featlearn as fl
from featlearn.errors import InvalidInputError
from featlearn.measures import (
    energy_outside,
    overlap,
    principal_angles,
    principal_cosines,
    random_level,
    random_overlap,
    subspace_distance,
    subspace_energy,
)

E = np.eye(6)


class Fit(NamedTuple):
    weight: jax.Array


def plane(*angles: float) -> np.ndarray:
    """Spans e_0, e_1, … each turned by an angle towards e_3, e_4, …"""
    turned = [np.cos(t) * E[:, i] + np.sin(t) * E[:, 3 + i] for i, t in enumerate(angles)]
    return np.stack(turned, axis=1)


def frames(count: int, dim: int, k: int, seed: int = 0) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((count, dim, k)))[0]


def test_energy_outside_is_the_squared_sine() -> None:
    weight = 5.0 * np.stack([plane(0.3)[:, 0], plane(0.8)[:, 0]])
    expected = (np.sin(0.3) ** 2 + np.sin(0.8) ** 2) / 2
    assert float(energy_outside(jnp.asarray(weight), jnp.asarray(E[:, :1]))) == pytest.approx(
        expected, rel=1e-12
    )


def test_energy_counts_long_neurons_more() -> None:
    weight = jnp.asarray(np.stack([3 * E[0], E[5]]))
    found = float(energy_outside(weight, jnp.asarray(E[:, :1])))
    assert found == pytest.approx(1 / 10)
    assert found != pytest.approx(1 / 2)  # the mean of the neurons' shares


def test_a_basis_need_not_be_orthonormal() -> None:
    skew = jnp.asarray(E[:, :2] @ np.array([[2.0, 1.0], [0.0, 0.1]]))
    weight = jnp.asarray(np.random.default_rng(0).standard_normal((4, 6)))
    expected = float(energy_outside(weight, jnp.asarray(E[:, :2])))
    assert float(energy_outside(weight, skew)) == pytest.approx(expected, rel=1e-12)
    rest = weight - weight @ skew @ skew.T
    wrong = float((rest**2).sum() / (weight**2).sum())
    assert abs(wrong - expected) > 0.1


def test_dead_neurons_have_no_energy_outside() -> None:
    assert float(energy_outside(jnp.zeros((3, 6)), jnp.asarray(E[:, :1]))) == 0.0


def test_neurons_in_random_directions_have_the_random_level() -> None:
    """1 − ‖Uᵀw‖²/‖w‖² is Beta((d−r)/2, r/2): mean 1 − r/d, variance 2r(d−r)/(d²(d+2))."""
    d, r, m = 20, 3, 4000
    weight = np.random.default_rng(1).standard_normal((m, d))
    weight /= np.linalg.norm(weight, axis=1, keepdims=True)
    found = float(energy_outside(jnp.asarray(weight), jnp.asarray(np.eye(d)[:, :r])))
    error = (2 * r * (d - r) / (d**2 * (d + 2)) / m) ** 0.5
    assert abs(found - random_level(d, r)) < 4 * error
    assert abs(found - random_level(d, r - 1)) > 4 * error


def test_subspace_energy_of_a_fit_and_a_task() -> None:
    target = fl.targets.single_index({2: 0.5}, dim=6, direction=E[0])
    task = fl.Task(fl.inputs.Gaussian(6), target)
    weight = jnp.asarray(np.stack([plane(0.3)[:, 0]] * 2))
    for fit, problem in ((Fit(weight), task), (weight, jnp.asarray(E[:, :1]))):
        found = subspace_energy(fit, problem)
        assert float(found.value) == pytest.approx(np.sin(0.3) ** 2, rel=1e-6)
        assert (float(found.stderr), int(found.n)) == (0.0, 2)


class Silent(fl.targets.Target):
    """A teacher that declares nothing."""

    dim: int = eqx.field(static=True, default=6)

    def __call__(self, x: jax.Array) -> jax.Array:
        return x[:, 0]

    def facts(self, inputs: fl.inputs.Inputs) -> fl.targets.Facts:
        return fl.targets.Facts()


def test_teachers_without_a_subspace_say_so() -> None:
    with pytest.raises(InvalidInputError, match="Silent declares no subspace"):
        subspace_energy(jnp.ones((2, 6)), fl.Task(fl.inputs.Gaussian(6), Silent()))


def test_known_angles() -> None:
    """Whatever bases the two spans are given in."""
    angles = [0.1, 0.7, 1.4]
    skew = plane(*angles) @ np.random.default_rng(2).standard_normal((3, 3))
    found, basis = jnp.asarray(skew), jnp.asarray(E[:, :3])
    np.testing.assert_allclose(principal_cosines(found, basis), np.cos(angles), atol=1e-12)
    np.testing.assert_allclose(principal_angles(found, basis), angles, atol=1e-12)
    assert float(overlap(found, basis)) == pytest.approx(np.mean(np.cos(angles) ** 2))
    assert float(overlap(found, basis)) != pytest.approx(np.mean(np.cos(angles)), abs=1e-3)


def test_angles_keep_their_digits_at_both_ends() -> None:
    """arccos alone knows 1e-9 to one digit in nothing."""
    angles = [1e-9, 0.4, np.pi / 2 - 1e-9]
    found, basis = jnp.asarray(plane(*angles)), jnp.asarray(E[:, :3])
    measured = np.asarray(principal_angles(found, basis))
    assert measured[0] == pytest.approx(1e-9, rel=1e-5)
    assert np.pi / 2 - measured[2] == pytest.approx(1e-9, rel=1e-5)
    by_cosine = np.arccos(np.asarray(principal_cosines(found, basis)))
    assert by_cosine[0] != pytest.approx(1e-9, rel=0.5)


def test_spans_of_unequal_dimension() -> None:
    """Angles are those of the smaller span, in either order."""
    small, large = jnp.asarray(plane(0.2)), jnp.asarray(E[:, :3])
    for one, other in ((small, large), (large, small)):
        np.testing.assert_allclose(principal_angles(one, other), [0.2], atol=1e-12)
        assert float(overlap(one, other)) == pytest.approx(np.cos(0.2) ** 2)
    assert float(overlap(jnp.asarray(E[:, 1:2]), large)) == pytest.approx(1.0)


def test_distance_is_the_spectral_norm_of_the_projectors_difference() -> None:
    v, u = frames(2, 6, 2, seed=3)
    dense = np.linalg.norm(v @ v.T - u @ u.T, 2)
    assert float(subspace_distance(jnp.asarray(v), jnp.asarray(u))) == pytest.approx(dense)
    frobenius = np.linalg.norm(v @ v.T - u @ u.T)
    assert frobenius != pytest.approx(dense, rel=0.1)


@pytest.mark.parametrize(("dim", "r", "k"), [(12, 2, 2), (12, 1, 4), (12, 3, 2)])
def test_random_spans_overlap_as_random_overlap_says(dim, r, k) -> None:
    """Mean and quantile against fresh spans; r/d is wrong for k > r."""
    spans = frames(4000, dim, k, seed=4)
    drawn = np.sum(spans[:, :r] ** 2, axis=(1, 2)) / min(r, k)
    first = float(overlap(jnp.asarray(spans[0]), jnp.eye(dim)[:, :r]))
    assert drawn[0] == pytest.approx(first)
    error = drawn.std() / 4000**0.5
    assert abs(drawn.mean() - random_overlap(dim, r, k)) < 4 * error
    if k > r:
        assert abs(drawn.mean() - r / dim) > 4 * error
    below = np.mean(drawn < random_overlap(dim, r, k, probability=0.9))
    exact = min(r, k) == 1
    assert abs(below - 0.9) < 4 * (0.09 / 4000 * (1 if exact else 2)) ** 0.5


def test_random_overlap_of_as_many_directions_as_there_are() -> None:
    assert random_overlap(30, 3) == pytest.approx(0.1)
    assert random_overlap(5, 2, found=5, probability=0.1) == 1.0
    with pytest.raises(InvalidInputError, match="dimension 5"):
        random_overlap(5, 6)
