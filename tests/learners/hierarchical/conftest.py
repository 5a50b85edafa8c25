"""A small target, the weights that represent it exactly, and the network by loops in NumPy."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.learners.hierarchical._network import Form, Frozen, Weights
from featlearn.learners.hierarchical._projections import pairs
from featlearn.samples import Sample

DIM, WIDTHS, MOST, NEURONS = 4, (2, 2), (3, 3), 5
GRAPH = ((0, 1), (0, 2))
ALPHAS = (1.0, 0.03)


class Planted(NamedTuple):
    """A target of two layers, and a network that equals it."""

    form: Form
    frozen: Frozen
    weights: Weights
    widths: jax.Array
    truth: tuple[tuple[np.ndarray, ...], ...]  # W*_{ℓ,j}

    def label(self, x):
        return target(self.truth, x)[0]


def target(truth, x):
    """G*(x) and its hidden features, from the definition."""
    x = np.asarray(x, np.float64)
    G, S, total = [x, x**2 - 1], [x, x**2 - 1], 0.0
    for alpha, blocks, row in zip(ALPHAS, truth, GRAPH, strict=True):
        S.append(sum(G[j] @ block.T for j, block in zip(row, blocks, strict=True)))
        G.append(S[-1] ** 2)
        total = total + alpha * G[-1].sum(axis=1)
    return total, S


def squares_from_forms(R):
    """T with s_a² = Σ_i T_{ai} (r_i · s)²."""
    k = R.shape[1]
    forms = np.einsum("pi,pj->ijp", R, R).reshape(k * k, -1)
    return np.stack([np.linalg.lstsq(forms, np.diag(e).ravel(), rcond=None)[0] for e in np.eye(k)])


def orthonormal_rows(rng, k, q):
    return np.linalg.qr(rng.normal(size=(q, k)))[0].T


def drawn_table(rng, most):
    """R for every width, each the best conditioned of a few draws."""
    table = np.zeros((most + 1, pairs(most), most))
    for k in range(1, most + 1):
        drawn = rng.normal(size=(30, pairs(k), k)) / k
        rated = np.linalg.cond(np.einsum("npi,nqi->npq", drawn, drawn) ** 2)
        table[k, : pairs(k), :k] = drawn[np.argmin(rated)]
    return table


def plant(seed=0):
    rng = np.random.default_rng(seed)
    sizes = (DIM, DIM, *WIDTHS)
    truth = tuple(
        tuple(orthonormal_rows(rng, k, sizes[j]) * rng.uniform(0.8, 1.2, (k, 1)) for j in row)
        for k, row in zip(WIDTHS, GRAPH, strict=True)
    )
    form = Form(DIM, GRAPH, MOST, NEURONS)
    tables = tuple(jnp.asarray(drawn_table(rng, most)) for most in MOST)
    frozen = Frozen(jnp.asarray(ALPHAS), jnp.ones(DIM), tables, jnp.asarray(np.inf))
    R_2 = np.asarray(tables[0][WIDTHS[0]])[: pairs(WIDTHS[0]), : WIDTHS[0]]
    rows = [np.concatenate(truth[0], axis=1)]
    upper = np.zeros((WIDTHS[1], form.reads(1)))
    upper[:, :DIM] = truth[1][0]
    upper[:, DIM : DIM + pairs(WIDTHS[0])] = truth[1][1] @ squares_from_forms(R_2)
    rows.append(upper)

    def padded(count):
        return tuple(jnp.pad(jnp.asarray(r), [(0, count(i) - len(r)), (0, 0)])
                     for i, r in enumerate(rows))  # fmt: skip

    weights = Weights(padded(lambda i: NEURONS), padded(lambda i: MOST[i]))
    return Planted(form, frozen, weights, jnp.asarray(WIDTHS), truth)


@pytest.fixture(scope="session")
def planted():
    return plant()


@pytest.fixture(scope="session")
def scrambled(planted):
    """The same network with weights that are not the truth."""
    keys = iter(jax.random.split(jax.random.key(7), 4))
    moved = jax.tree.map(
        lambda w: w + 0.3 * jax.random.normal(next(keys), w.shape), planted.weights
    )
    K = tuple(k.at[w:].set(0) for k, w in zip(moved.K, WIDTHS, strict=True))
    return planted._replace(weights=Weights(moved.W, K))


@pytest.fixture(scope="session")
def points(planted):
    """40 points, labelled by the planted target."""
    x = np.random.default_rng(5).uniform(-np.sqrt(3), np.sqrt(3), (40, DIM))
    return Sample(jnp.asarray(x), jnp.asarray(planted.label(x)))


@pytest.fixture(scope="session")
def one_layer():
    """seed, n -> a sample whose labels are (⟨a, x⟩ + ⟨b, x² − 1⟩)², and a, b."""

    def sample(seed, n, dim=4):
        rng = np.random.default_rng(seed)
        a, b = rng.normal(size=(2, dim)) / np.sqrt(dim)
        x = rng.uniform(-np.sqrt(3), np.sqrt(3), (n, dim)).astype(np.float32)
        return Sample(x, (x @ a + (x**2 - 1) @ b) ** 2)

    return sample
