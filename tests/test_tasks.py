"""Tasks: labels, noise, separate streams, and what they refuse."""

from itertools import islice

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn import Task
from featlearn.errors import InvalidInputError
from featlearn.inputs import Gaussian, Hypercube
from featlearn.targets import representation, single_index

KEY = jax.random.key(8)
TARGET = representation(3, 4, key=KEY)
INPUTS = Gaussian(4)


def residuals(task: Task, n: int = 20_000) -> np.ndarray:
    sample = task.sample(KEY, n)
    return np.asarray(sample.y - task.target(sample.x), np.float64)


def test_a_sample_without_noise_has_the_targets_labels() -> None:
    sample = Task(INPUTS, TARGET).sample(KEY, 20)
    assert sample.x.shape == (20, 4)
    assert sample.x.dtype == sample.y.dtype == jnp.float32
    np.testing.assert_array_equal(sample.y, TARGET(sample.x))
    assert sample.count is None
    assert Task(INPUTS, TARGET).dim == 4


def test_rademacher_noise_has_two_values() -> None:
    noise = residuals(Task(INPUTS, TARGET, noise=0.5))
    np.testing.assert_allclose(np.abs(noise), 0.5, atol=1e-4)
    assert abs(noise.mean()) < 4 * 0.5 / 20_000**0.5


def test_gaussian_noise_has_the_standard_deviation() -> None:
    noise = residuals(Task(INPUTS, TARGET, noise=0.5, noise_law="gaussian"))
    assert abs(noise.mean()) < 4 * 0.5 / 20_000**0.5
    for power, moment in ((2, 0.25), (4, 3 * 0.5**4)):
        draws = noise**power
        assert abs(draws.mean() - moment) < 4 * draws.std() / 20_000**0.5


def test_noise_is_independent_of_x() -> None:
    task = Task(INPUTS, TARGET, noise=1.0)
    x = np.asarray(task.sample(KEY, 20_000).x)
    assert np.abs(residuals(task) @ x / 20_000).max() < 4.5 / 20_000**0.5


def test_another_noise_has_the_same_inputs() -> None:
    quiet, loud = (Task(INPUTS, TARGET, noise=s).sample(KEY, 20) for s in (0.0, 1.0))
    np.testing.assert_array_equal(quiet.x, loud.x)
    assert not np.allclose(quiet.y, loud.y)


def test_another_target_has_the_same_inputs_and_noise() -> None:
    other = single_index({1: 1.0}, 4, key=KEY)
    x_one, x_two = (Task(INPUTS, t, noise=0.3).sample(KEY, 20).x for t in (TARGET, other))
    np.testing.assert_array_equal(x_one, x_two)
    np.testing.assert_allclose(
        residuals(Task(INPUTS, TARGET, noise=0.3), 20),
        residuals(Task(INPUTS, other, noise=0.3), 20),
        atol=1e-5,
    )


def test_wide_samples() -> None:
    sample = Task(INPUTS, TARGET, noise=0.1).sample(KEY, 20, jnp.float64)
    assert sample.x.dtype == sample.y.dtype == jnp.float64


def test_a_stream_is_its_batches_and_never_repeats() -> None:
    task = Task(INPUTS, TARGET, noise=0.1)
    first, second, third = islice(task.stream(KEY, 20), 3)
    for step, batch in enumerate((first, second, third)):
        wanted = task.batch(KEY, step, 20)
        np.testing.assert_array_equal(batch.x, wanted.x)
        np.testing.assert_allclose(batch.y, wanted.y, rtol=1e-5, atol=1e-6)
    assert not np.allclose(first.x, second.x)


def test_batches_inside_scan() -> None:
    task = Task(INPUTS, TARGET, noise=0.1)
    steps = jnp.arange(3)
    found = jax.lax.scan(lambda _, s: (None, task.batch(KEY, s, 20).y), None, steps)[1]
    wanted = jnp.stack([task.batch(KEY, s, 20).y for s in range(3)])
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_tasks_of_different_noise_stack() -> None:
    tasks = jax.tree.map(
        lambda *a: jnp.stack(a), *(Task(INPUTS, TARGET, noise=s) for s in (0.0, 2.0))
    )
    y = jax.vmap(lambda task: task.sample(KEY, 20).y)(tasks)
    np.testing.assert_allclose(np.abs(y[1] - y[0]), 2.0, rtol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"inputs": Hypercube(3)}, "inputs have dim 3 and the target has dim 4"),
        ({"noise": -0.1}, "at least 0, got -0.1"),
        ({"noise": np.inf}, "finite and at least 0, got inf"),
        ({"noise": np.nan}, "got nan"),
        ({"noise": [0.1, 0.2]}, r"one number, got shape \(2,\)"),
        ({"noise_law": "cauchy"}, "got 'cauchy'"),
    ],
)
def test_bad_input_is_refused(arguments: dict, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        Task(**{"inputs": INPUTS, "target": TARGET, **arguments})


def test_bad_sizes_are_refused() -> None:
    task = Task(INPUTS, TARGET)
    with pytest.raises(InvalidInputError, match=r"n must be .* got 0"):
        task.sample(KEY, 0)
    with pytest.raises(InvalidInputError, match=r"batch must be .* got 2\.5"):
        next(task.stream(KEY, 2.5))  # type: ignore[arg-type]
