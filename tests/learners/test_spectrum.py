"""How many directions were found, and which."""

import jax
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.fleet import fit_many
from featlearn.learners import OneStep
from featlearn.learners._spectrum import found_rank, rank_above, spectrum, strongest
from featlearn.samples import Sample

DIM, SEEDS = 10, 3


def labels(kind, x, rng):
    if kind == 0:
        return rng.normal(size=len(x))
    first, second = x[:, 0].astype(np.float64), x[:, 1].astype(np.float64)
    if kind == 1:
        return (first**2 - 1) / 2 + (first**3 - 3 * first) / np.sqrt(12)
    return (first**2 - 1) / 2 + (second**2 - 1) / 2 + first * second**2 / 4


@pytest.fixture(scope="module")
def fits():
    """For 0, 1 and 2 directions three fits each, as one program."""
    rng = np.random.default_rng(4)
    samples = []
    for kind in range(3):
        for _ in range(SEEDS):
            x = rng.normal(size=(4000, DIM)).astype(np.float32)
            samples.append(Sample(x, labels(kind, x, rng)))
    keys = jax.random.split(jax.random.key(0), 3 * SEEDS)
    fleet = list(fit_many(OneStep(64, penalties=(0.1, 1.0)), samples, keys))
    return [fleet[kind * SEEDS : (kind + 1) * SEEDS] for kind in range(3)]


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_counts_the_directions(rank, fits):
    assert [int(fit.record["rank"]) for fit in fits[rank]] == [rank] * SEEDS


@pytest.mark.parametrize("rank", [1, 2])
def test_finds_them(rank, fits):
    for fit in fits[rank]:
        v = np.asarray(fit.directions())
        assert v.shape == (DIM, rank)
        np.testing.assert_allclose(v.T @ v, np.eye(rank), atol=1e-10)
        assert np.linalg.norm(v[:rank]) ** 2 > 0.97 * rank


def test_gives_as_many_as_asked(fits):
    fit = fits[1][0]
    v = np.asarray(fit.directions(4))
    np.testing.assert_allclose(v.T @ v, np.eye(4), atol=1e-10)
    np.testing.assert_allclose(np.abs(v[:, :1]), np.abs(fit.directions()), atol=1e-10)
    assert fits[0][0].directions().shape == (DIM, 0)


def test_equals_numpy():
    w = np.random.default_rng(0).normal(size=(12, 5))
    values, right = np.linalg.svd(w)[1:]
    np.testing.assert_allclose(spectrum(w), values / np.sqrt(12), rtol=1e-10)
    overlaps = np.abs(right @ np.asarray(strongest(w, 5)))
    np.testing.assert_allclose(overlaps, np.eye(5), atol=1e-10)


def test_labels_with_structure_raise_the_level():
    """With a bulk of twice the null's, what exceeds the null is not yet a direction."""
    null = np.array([1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1])
    found = np.array([9.0, 4.0, 1.8, 1.7])
    assert rank_above(np.concatenate([found, 2 * null[4:]]), null) == 2
    assert rank_above(np.concatenate([found, null[4:]]), null) == 4
    assert rank_above(1.4 * null, null) == 0


@pytest.mark.parametrize("rank", [-1, DIM + 1, 1.5, True])
def test_refuses_a_rank_that_is_none(rank, fits):
    with pytest.raises(InvalidInputError, match=f"between 0 and the dimension {DIM}"):
        fits[1][0].directions(rank)


def test_a_rank_that_was_not_estimated_cannot_be_had():
    with pytest.raises(InvalidInputError, match=r"estimate_rank=True, or give directions\(rank\)"):
        found_rank({"spectrum": np.ones(3)})
