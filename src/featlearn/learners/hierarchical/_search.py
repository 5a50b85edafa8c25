"""Search over α and J where they are unknown: the paper's footnote 6, a small architecture search.

    for every graph:  one program trains it with every α;     choose the least validation error

W_ℓ and K_ℓ take up any factor of α_ℓ, and a graph with more connections than the truth can leave
them at 0: what is found is the truth or an equivalent.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from featlearn.errors import InvalidInputError
from featlearn.learners._fitting import as_arrays
from featlearn.learners.hierarchical._fit import HierarchicalFit
from featlearn.learners.hierarchical._graph import Graph, as_graph
from featlearn.learners.hierarchical._learner import Hierarchical
from featlearn.precision import double_precision
from featlearn.samples import Sample, check_sample


class Found(NamedTuple):
    """The best fit, its α and graph, and the validation error of every pair."""

    fit: HierarchicalFit
    alphas: tuple[float, ...]
    graph: Graph
    errors: np.ndarray  # (graphs, alphas); infinite where a training diverged


def search(
    learner: Hierarchical,
    sample: Sample,
    *,
    alphas: Sequence[Sequence[float]],
    graphs: Sequence[Any],
    key: Key[Array, ""],
) -> Found:
    """Train with every (graph, α) and choose on the rows held out.

    learner   its own α and graph are not used
    alphas    candidates, each with one number for each layer
    graphs    candidates, each as in `Hierarchical`

        search(Hierarchical((1, 1)), sample, alphas=[(1, .1), (1, .01)], graphs=[None], key=key)
    """
    check_sample(sample)
    layers = len(learner.graph)
    if not len(alphas) or not len(graphs) or any(len(a) != layers for a in alphas):
        raise InvalidInputError(
            f"A search needs a graph and an α at least, and one number for each of {layers} "
            f"layers in every α, got {len(graphs)} graphs and alphas {list(alphas)}."
        )
    tried = [learner.graph if g is None else as_graph(g, layers) for g in graphs]
    fits = [_fit_all(learner, graph, alphas, sample, key) for graph in tried]
    errors = np.stack([_errors(fit) for fit in fits])
    g, a = (int(i) for i in np.unravel_index(int(np.argmin(errors)), errors.shape))
    best = jax.tree.map(lambda leaf: leaf[a] if eqx.is_array(leaf) else leaf, fits[g])
    return Found(best, tuple(float(v) for v in alphas[a]), tried[g], errors)


def _errors(fits: HierarchicalFit) -> np.ndarray:
    """Of every α; a training that diverged is not chosen."""
    errors, lost = (np.asarray(fits.record[name]) for name in ("validation", "diverged"))
    return np.where(lost | ~np.isfinite(errors), np.inf, errors)


@double_precision
def _fit_all(
    learner: Hierarchical,
    graph: Graph,
    alphas: Sequence[Sequence[float]],
    sample: Sample,
    key: Key[Array, ""],
) -> Any:
    """Fits with every α, stacked."""
    changed = Hierarchical(**{**vars(learner), "graph": graph})
    return _vmapped(changed, jnp.asarray(alphas, jnp.float64), as_arrays(sample), key)


@eqx.filter_jit
def _vmapped(learner: Hierarchical, alphas: Array, sample: Sample, key: Key[Array, ""]) -> Any:
    def one(alpha: Array) -> HierarchicalFit:
        return eqx.tree_at(lambda h: h.alphas, learner, alpha).fit_arrays(sample, key)

    return eqx.filter_vmap(one)(alphas)
