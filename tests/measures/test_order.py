"""The order in which layers reach a level."""

import jax
import jax.numpy as jnp
import numpy as np

from featlearn.measures import first_below, in_order

TIMES = jnp.asarray([0.0, 10.0, 20.0, 30.0])
ERRORS = jnp.asarray([[1.0, 0.2, 0.3, 0.1], [1.0, 0.9, 0.25, 0.3], [1.0, 0.9, 0.8, 0.7]])


def test_first_times() -> None:
    np.testing.assert_array_equal(first_below(TIMES, ERRORS, 0.25), [10, 20, np.inf])
    np.testing.assert_array_equal(first_below(TIMES, ERRORS, 1.0), [0, 0, 0])


def test_levels_may_differ_and_nan_is_not_below() -> None:
    levels = jnp.asarray([[0.1], [0.25], [0.75]])
    np.testing.assert_array_equal(first_below(TIMES, ERRORS, levels), [30, 20, 30])
    assert jnp.isinf(first_below(TIMES, jnp.full(4, jnp.nan), 1.0))


def test_order() -> None:
    assert in_order(jnp.asarray([1.0, 2.0, 3.0]))
    assert in_order(jnp.asarray([1.0, 1.0, 3.0]))
    assert not in_order(jnp.asarray([2.0, 1.0, 3.0]))
    assert not in_order(jnp.asarray([1.0, 2.0, jnp.inf]))


def test_maps_over_runs() -> None:
    runs = jnp.stack([ERRORS, ERRORS[::-1]])
    first = jax.vmap(lambda e: first_below(TIMES, e, 0.25))(runs)
    assert first.shape == (2, 3)
    np.testing.assert_array_equal(in_order(first[:, :2]), [True, False])
