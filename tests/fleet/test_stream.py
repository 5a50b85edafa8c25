"""Fleets that train equal trainings one by one, interrupted or not."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.fleet import fit_stream_many, train_many
from featlearn.samples import Sample
from featlearn.training import Fresh, Optimiser, Training, square

KEYS = jax.random.split(jax.random.key(2), 2)


def draw(key, step):
    x = jax.random.normal(jax.random.fold_in(key, step), (10, 2), jnp.float32)
    return Sample(x, x[:, 0] - 2 * x[:, 1])


def loss(params, batch):
    return square(batch.x @ params["w"], batch)


def training(rate):
    optimiser = Optimiser("momentum", rate=rate)
    return Training(loss, Fresh(draw), optimiser, 12, snapshots=(0, 5))


STARTS = {"w": jnp.asarray([[0.0, 0.0], [1.0, 1.0]], jnp.float32)}


@pytest.fixture(scope="module")
def alone():
    starts = [{"w": STARTS["w"][i]} for i in range(2)]
    trainings = [training(rate) for rate in (0.01, 0.05)]
    return [jax.jit(t.__call__)(*each) for t, *each in zip(trainings, starts, KEYS, strict=True)]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return tmp_path_factory.mktemp("fleet") / "file"


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_fleet_equals_trainings_one_by_one(alone, checkpoint, interrupted):
    trainings = [training(rate) for rate in (0.01, 0.05)]
    file = checkpoint if interrupted else None
    together = train_many(trainings, STARTS, KEYS, checkpoint=file)
    for i, one in enumerate(alone):
        member = jax.tree.map(lambda a, i=i: a[i], together)
        np.testing.assert_allclose(member.params["w"], one.params["w"], rtol=1e-5)
        np.testing.assert_allclose(member.trajectory["w"], one.trajectory["w"], rtol=1e-5)
        np.testing.assert_allclose(member.record["loss"], one.record["loss"], rtol=1e-4)
        np.testing.assert_array_equal(member.times, [0, 5])
    assert together.params["w"].dtype == jnp.float32


def test_a_complete_checkpoint_is_not_trained_again(checkpoint):
    trainings = [training(rate) for rate in (0.01, 0.05)]
    first = train_many(trainings, STARTS, KEYS, checkpoint=checkpoint)
    again = train_many(trainings, STARTS, KEYS, checkpoint=checkpoint)
    np.testing.assert_array_equal(first.params["w"], again.params["w"])
    with pytest.raises(InvalidInputError, match="is the checkpoint of another training"):
        train_many(trainings, STARTS, KEYS[::-1], checkpoint=checkpoint)


class Mean(eqx.Module):
    """Fits the mean label of one batch."""

    factor: float = 1.0

    def fit_stream(self, task, *, key):
        return self.fit_stream_arrays(task, key)

    def fit_stream_arrays(self, task, key):
        return {"mean": self.factor * task.batch(key, 0, 10).y.mean()}


class Shift(eqx.Module):
    by: jax.Array

    def batch(self, key, step, n):
        x = jax.random.normal(jax.random.fold_in(key, step), (n, 2))
        return Sample(x, x[:, 0] + self.by)


def test_learners_and_tasks_may_differ_in_floats():
    tasks, learners = [Shift(jnp.asarray(b)) for b in (0.0, 5.0)], [Mean(1.0), Mean(2.0)]
    fleet = fit_stream_many(learners, tasks, KEYS)
    for i in range(2):
        alone = learners[i].fit_stream(tasks[i], key=KEYS[i])["mean"]
        np.testing.assert_allclose(fleet.stacked["mean"][i], alone, rtol=1e-6)
    with pytest.raises(InvalidInputError, match="Got 2 tasks for 1 keys"):
        fit_stream_many(Mean(), tasks, KEYS[:1])
