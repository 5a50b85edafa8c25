"""Least nuclear norm against closed forms, its own certificate, and what lies near it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.learners import NuclearNorm
from featlearn.learners._sensing import Measurements

RNG = np.random.default_rng(0)
LEFT, RIGHT = RNG.normal(size=(5, 1)), RNG.normal(size=(4, 1))
TRUTH = LEFT @ RIGHT.T
MATRICES = RNG.normal(size=(16, 5, 4))
LABELS = np.einsum("npq,pq->n", MATRICES, TRUTH)


def nuclear(matrix):
    return np.linalg.svd(matrix, compute_uv=False).sum()


def null_directions(matrices, count):
    """Random matrices on which every measurement is 0."""
    flat = matrices.reshape(len(matrices), -1)
    drawn = RNG.normal(size=(count, flat.shape[1]))
    return (drawn - drawn @ np.linalg.pinv(flat) @ flat).reshape(count, *matrices.shape[1:])


@pytest.fixture(scope="module")
def found():
    return NuclearNorm(tolerance=1e-7).recover(MATRICES, LABELS)


def test_a_matrix_of_rank_one_is_recovered_from_fewer_numbers_than_it_has_entries(found):
    assert len(MATRICES) < TRUTH.size
    np.testing.assert_allclose(found.matrix, TRUTH, atol=1e-5)
    np.testing.assert_allclose(found(MATRICES), LABELS, atol=1e-8)
    least = np.linalg.pinv(MATRICES.reshape(16, -1)) @ LABELS
    assert np.linalg.norm(least.reshape(5, 4) - TRUTH) > 0.2 * np.linalg.norm(TRUTH)


@pytest.mark.parametrize("shape", [(2, 5), (4, 3)])
def test_one_measurement_has_a_closed_form(shape):
    """min ‖M‖_* with ⟨B, M⟩ = y is |y|/‖B‖, the dual norm; it is not |y|/‖B‖_F."""
    matrix = np.random.default_rng(sum(shape)).normal(size=shape)
    got = NuclearNorm(tolerance=1e-7).recover(matrix[None], np.array([2.5]))
    assert nuclear(got.matrix) == pytest.approx(2.5 / np.linalg.norm(matrix, 2), rel=1e-5)
    assert nuclear(got.matrix) < 0.99 * 2.5 / np.linalg.norm(matrix) * np.sqrt(min(shape))


def test_nothing_that_agrees_has_a_smaller_norm():
    """Eight measurements do not determine M; a wrong point, the least in Frobenius norm, has
    directions in which the norm falls."""
    matrices, labels = MATRICES[:8], LABELS[:8]
    best = np.asarray(NuclearNorm(tolerance=1e-8, steps=20_000).recover(matrices, labels).matrix)
    least = (np.linalg.pinv(matrices.reshape(8, -1)) @ labels).reshape(5, 4)
    around = null_directions(matrices, 200)
    for size in (0.01, 0.3):
        assert min(nuclear(best + size * n) for n in around) > nuclear(best) * (1 - 1e-6)
    assert min(nuclear(least + 0.01 * n) for n in around) < nuclear(least) * (1 - 1e-5)


def test_the_gap_bounds_how_far_the_norm_is_from_the_least(found):
    exact = nuclear(TRUTH)
    early = NuclearNorm(tolerance=1e-12, steps=20).recover(MATRICES, LABELS)
    value, gap = nuclear(early.matrix), float(early.record["gap"])
    assert int(early.record["steps"]) == 20
    assert exact < value
    assert value * (1 - gap) <= exact * (1 + 1e-9)
    assert 0 <= float(found.record["gap"]) < 1e-7


def test_padded_measurements_do_not_exist():
    padded = np.concatenate([MATRICES, 9 * np.ones((3, 5, 4))])
    labels = np.concatenate([LABELS, [5.0, 5.0, 5.0]])
    learner = NuclearNorm(tolerance=1e-7)

    def one(matrices, labels, count):
        return learner.recover_arrays(Measurements(matrices, labels, count)).matrix

    counts = jnp.array([16, 14])
    both = jax.jit(jax.vmap(one, in_axes=(None, None, 0)))(padded, labels, counts)
    np.testing.assert_allclose(both[0], TRUTH, atol=1e-5)
    alone = learner.recover(MATRICES[:14], LABELS[:14]).matrix
    np.testing.assert_allclose(both[1], alone, atol=1e-4)


def test_measurements_that_contradict_one_another_are_met_in_least_squares():
    twice = np.concatenate([np.eye(4).reshape(4, 2, 2)] * 2)
    labels = np.array([1.0, 0.2, 0.3, 2.0, 1.2, 0.4, 0.1, 1.8])
    got = NuclearNorm().recover(twice, labels)
    np.testing.assert_allclose(got.matrix, [[1.1, 0.3], [0.2, 1.9]], atol=1e-9)


@pytest.mark.parametrize("given", [{"steps": 0}, {"tolerance": 0.0}, {"tolerance": 1.5}])
def test_refuses_numbers_that_cannot_be(given):
    with pytest.raises(InvalidInputError, match="at least 1 and a tolerance"):
        NuclearNorm(**given)


@pytest.mark.parametrize(
    ("matrices", "labels", "says"),
    [
        (MATRICES[0], LABELS, "shape"),
        (MATRICES, LABELS[:-1], "shape"),
        (MATRICES, np.where(LABELS > 0, LABELS, np.nan), "labels has values"),
        (np.inf * MATRICES, LABELS, "matrices has values"),
        (MATRICES, 0 * LABELS, "Every label is 0"),
    ],
)
def test_refuses_what_no_matrix_can_be_recovered_from(matrices, labels, says):
    with pytest.raises(InvalidInputError, match=says):
        NuclearNorm().recover(matrices, labels)
