"""The search finds a graph that can represent the target, at any α."""

import jax
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.learners.hierarchical import Hierarchical, search
from featlearn.training import Optimiser

LEARNER = Hierarchical(
    (1.0,), neurons=4, most=1, steps=200, every=25, batch=32, down=(0.01,), mean_square=1.0,
    optimiser=Optimiser("adam", rate=0.02, epsilon=1e-12, clip=1.0), candidates=1, anneal=0.5,
)  # fmt: skip


def test_picks_the_graph_with_the_connections_that_the_target_has(one_layer):
    sample = one_layer(0, 400)
    found = search(
        LEARNER,
        sample,
        alphas=[(0.5,), (2.0,)],
        graphs=[{2: (0,)}, {2: (0, 1)}],
        key=jax.random.key(0),
    )
    assert found.graph == ((0, 1),)
    assert found.alphas in ((0.5,), (2.0,))
    assert np.all(found.errors[0] > 100 * found.errors[1])
    assert found.errors.shape == (2, 2)
    assert float(found.fit.record["validation"]) == found.errors[1].min()
    assert found.fit(sample.x).shape == (400,)


@pytest.mark.parametrize(
    "change", [{"graphs": []}, {"alphas": []}, {"alphas": [(1.0, 0.1)]}], ids=str
)
def test_a_search_over_nothing_is_refused(one_layer, change):
    with pytest.raises(InvalidInputError, match="A search needs"):
        search(
            LEARNER,
            one_layer(0, 60),
            **{"alphas": [(1.0,)], "graphs": [None], "key": jax.random.key(0), **change},
        )
