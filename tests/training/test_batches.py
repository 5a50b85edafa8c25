"""Batches: every row once an epoch, padding never, the same again for the same key."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.samples import Sample
from featlearn.training import Epochs, Fresh, shuffled

KEY = jax.random.key(3)


def numbered(n, count=None):
    """Row i has label i."""
    y = jnp.arange(n, dtype=jnp.float32)
    return Sample(y[:, None] * 10, y, None if count is None else jnp.asarray(count))


SHUFFLED = jax.jit(lambda n: shuffled(KEY, jnp.arange(1000) % n, n))


@pytest.mark.parametrize("n", [1, 2, 7, 16, 17, 100, 1000])
def test_a_shuffle_is_a_permutation(n):
    found = SHUFFLED(n)[:n]
    np.testing.assert_array_equal(np.sort(found), np.arange(n))


def test_shuffles_are_uniform():
    """Row 0's place over many keys, and how often neighbours stay neighbours."""
    n, draws = 11, 4000
    keys = jax.random.split(KEY, draws)
    orders = np.asarray(jax.jit(jax.vmap(lambda k: shuffled(k, jnp.arange(n), n)))(keys))
    expected = draws / n
    for row in range(n):
        counts = np.bincount(np.argmax(orders == row, axis=1), minlength=n)
        assert np.sum((counts - expected) ** 2) / expected < 40  # χ² of 10 degrees: p < 2e-5
    steps = np.sum(np.diff(orders, axis=1) == 1)
    mean = draws * (n - 1) / n
    assert abs(steps - mean) < 4 * np.sqrt(mean)


@pytest.mark.parametrize("count", [None, 13])
def test_an_epoch_takes_every_row_at_most_once(count):
    rows = 20 if count is None else count
    epochs = jax.jit(Epochs(numbered(20, count), 4).__call__)
    each = rows // 4
    seen = []
    for epoch in range(3):
        taken = [epochs(KEY, jnp.asarray(epoch * each + i)) for i in range(each)]
        labels = np.concatenate([np.asarray(b.y) for b in taken])
        assert len(set(labels)) == each * 4
        assert labels.max() < rows
        np.testing.assert_array_equal(np.concatenate([b.x[:, 0] for b in taken]), 10 * labels)
        seen.append(tuple(labels))
    assert len(set(seen)) == 3  # each epoch has another order


def test_drawing_with_replacement_repeats_rows_but_never_takes_padding():
    epochs = jax.jit(Epochs(numbered(20, 5), 4, replace=True).__call__)
    labels = np.concatenate([np.asarray(epochs(KEY, jnp.asarray(t)).y) for t in range(100)])
    assert set(labels) == set(range(5))
    assert any(len(set(labels[i : i + 4])) < 4 for i in range(0, 400, 4))


def test_the_whole_sample_when_no_batch_is_named():
    sample = numbered(6, 4)
    assert Epochs(sample)(KEY, jnp.asarray(9)) is sample


def test_members_of_unequal_size_draw_as_they_would_alone():
    samples = [numbered(20, 20), numbered(20, 9)]
    stacked = jax.tree.map(lambda *a: jnp.stack(a), *samples)

    def labels(sample):
        return Epochs(sample, 3)(KEY, jnp.asarray(5)).y

    together, alone = jax.jit(jax.vmap(labels))(stacked), jax.jit(labels)
    for found, sample in zip(together, samples, strict=True):
        np.testing.assert_array_equal(found, alone(sample))


def test_a_task_gives_fresh_points():
    class Task:
        def batch(self, key, step, n):
            x = jax.random.normal(jax.random.fold_in(key, step), (n, 2))
            return Sample(x, x[:, 0])

    source = Fresh(Task(), 5)
    one, two = source(KEY, jnp.asarray(0)), source(KEY, jnp.asarray(1))
    assert one.x.shape == (5, 2)
    assert not np.any(np.asarray(one.x) == np.asarray(two.x))
    np.testing.assert_array_equal(one.x, Task().batch(KEY, 0, 5).x)


@pytest.mark.parametrize("batch", [0, 11])
def test_a_batch_that_the_sample_cannot_fill_is_refused(batch):
    with pytest.raises(InvalidInputError, match=f"A batch of {batch} cannot be taken from 10"):
        Epochs(numbered(12, 10), batch)


def test_a_stream_without_a_batch_is_refused():
    class Task:
        def batch(self, key, step, n): ...

    with pytest.raises(InvalidInputError, match="A stream needs a batch of at least 1, got None"):
        Fresh(Task())
