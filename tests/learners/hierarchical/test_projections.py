"""R has the document's law for every width, and its squares reach every quadratic form."""

import jax
import numpy as np

from featlearn.learners.hierarchical._projections import conditioning, draw, draw_all, pairs

DOUBLE = np.dtype(np.float64)


def draws(count, k, candidates):
    keys = jax.random.split(jax.random.key(1), count)
    return np.asarray(jax.jit(jax.vmap(lambda key: draw(key, k, candidates, DOUBLE)))(keys))


def test_one_draw_has_variance_one_over_k_squared():
    drawn = draws(60, 3, 1).ravel()
    assert drawn.size == 60 * pairs(3) * 3
    spread = 4 / np.sqrt(drawn.size)
    assert abs(drawn.mean() * 3) < spread
    assert abs((drawn * 3).var() - 1) < spread * np.sqrt(2)


def test_the_table_has_each_width_in_its_corner_and_zeros_around_it():
    table = np.asarray(draw_all(jax.random.key(0), 3, 4, DOUBLE))
    assert table.shape == (4, 6, 3)
    for k in range(4):
        inside = np.zeros((6, 3), bool)
        inside[: pairs(k), :k] = True
        assert np.all((table[k] != 0) == inside)


def test_conditioning_is_that_of_the_rank_one_forms():
    R = np.random.default_rng(0).normal(size=(6, 3))
    forms = np.einsum("pi,pj->pij", R, R).reshape(6, -1)
    values = np.linalg.svd(forms, compute_uv=False)
    np.testing.assert_allclose(conditioning(R), (values[-1] / values[0]) ** 2, rtol=1e-9)


def test_the_best_of_several_is_kept_where_single_draws_often_fail():
    rate = jax.jit(jax.vmap(conditioning))
    single, best = (np.asarray(rate(draws(60, 2, count))) for count in (1, 32))
    assert best.min() > 1e-2  # a ratio of singular values of a tenth
    assert np.mean(single < 1e-4) > 0.15  # of a hundredth: not a rare accident
