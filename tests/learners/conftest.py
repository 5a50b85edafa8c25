"""A teacher of one direction, one fit of it that the tests share, and ridge by NumPy alone."""

from typing import NamedTuple

import jax
import numpy as np
import pytest

from featlearn.learners import OneStep, RandomFeatures
from featlearn.learners._projected import found_directions
from featlearn.learners._split import Rows
from featlearn.samples import Sample

GRID = tuple(float(v) for v in np.logspace(-3, 3, 13))
KEY = 3


@pytest.fixture(autouse=True, scope="module")
def _quick_compilation():
    """These programs run for milliseconds and compile for seconds."""
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


def he2(z):
    return z**2 - 1


def he3(z):
    return z**3 - 3 * z


class Problem(NamedTuple):
    sample: Sample
    u: np.ndarray  # the direction


def single_index(link, seed, n, dim, noise=0.1):
    """y = link(⟨u, x⟩) + noise; everything in the types that a task hands out."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=dim)
    u /= np.linalg.norm(u)
    x = rng.normal(size=(n, dim)).astype(np.float32)
    y = link(x.astype(np.float64) @ u) + noise * rng.normal(size=n)
    return Problem(Sample(x, y), u)


def mixed(z):
    """Half of the variance in He2, half in He3."""
    return he2(z) / 2 + he3(z) / np.sqrt(12)


@pytest.fixture(scope="session")
def problem():
    """link, seed, n, dim -> Problem."""
    return single_index


@pytest.fixture(scope="session")
def links():
    return {"he2": he2, "he3": he3, "mixed": mixed}


@pytest.fixture(scope="session")
def easy():
    """400 labels with a constant and a linear part, so that these have to be removed."""
    return single_index(lambda z: mixed(z) + 0.5 * z + 0.3, seed=1, n=400, dim=8)


@pytest.fixture(scope="session")
def grid():
    return GRID


@pytest.fixture(scope="session")
def key():
    return jax.random.key(KEY)


@pytest.fixture(scope="session")
def learner():
    return OneStep(32, penalties=GRID)


@pytest.fixture(scope="session")
def fitted(learner, easy, key):
    return learner.fit(easy.sample, key=key)


class Ridge(NamedTuple):
    heads: np.ndarray  # (l, m, k)
    errors: np.ndarray  # (l,), on the validation rows, summed over outputs
    best: int


def ridge_by_hand(h, y, penalties):
    """The first four fifths train, the last fifth chooses λ."""
    h, y = np.asarray(h, np.float64), np.asarray(y, np.float64).reshape(len(h), -1)
    n = len(h) - len(h) // 5
    gram, cross = h[:n].T @ h[:n] / n, h[:n].T @ y[:n] / n
    heads = np.stack([np.linalg.solve(gram + v * np.eye(len(gram)), cross) for v in penalties])
    errors = np.mean(np.sum((h[n:] @ heads - y[n:]) ** 2, axis=2), axis=1)
    return Ridge(heads, errors, int(np.argmin(errors)))


@pytest.fixture(scope="session")
def ridge():
    """h, y, penalties -> Ridge."""
    return ridge_by_hand


@pytest.fixture(scope="session")
def directions_found():
    """matrix, link -> |⟨u, v⟩| of the first direction on 5 samples of 4000 rows in d = 10."""

    def overlaps(matrix, link):
        problems = [single_index(link, seed, 4000, 10) for seed in range(5)]
        x, y = (np.stack([getattr(p.sample, name) for p in problems]) for name in ("x", "y"))

        def first(x, y):
            return found_directions(matrix, Rows(x, y[:, None], np.ones(len(y))), 1, True)[0]

        found = np.asarray(jax.jit(jax.vmap(first))(x, y))[:, :, 0]
        return np.abs([p.u @ v for p, v in zip(problems, found, strict=True)])

    return overlaps


@pytest.fixture(scope="session")
def other(easy):
    """Another task on the same direction, with two outputs: the second is noise."""
    rng = np.random.default_rng(9)
    x = rng.normal(size=(150, 8)).astype(np.float32)
    y = np.stack([(x @ easy.u) ** 3 + 5, 3 * rng.normal(size=150)], axis=1)
    return Sample(x, y)


@pytest.fixture(scope="session")
def random_fit(other, grid, key):
    return RandomFeatures(400, penalties=grid).fit(other, key=key)
