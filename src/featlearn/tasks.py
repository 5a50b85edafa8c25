"""A task: inputs, a teacher and label noise; finite samples of it, or an endless stream."""

from collections.abc import Iterator
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from featlearn.errors import InvalidInputError
from featlearn.inputs import Inputs
from featlearn.inputs._checks import check_count, default_float, traced
from featlearn.samples import Sample
from featlearn.targets import Target

NoiseLaw = Literal["rademacher", "gaussian"]


class Task(eqx.Module):
    """y = f*(x) + ε: x from `inputs`, f* = `target`, ε independent with standard deviation `noise`.

    `noise_law` is "rademacher" (ε = ±noise) or "gaussian". The level is a leaf of the pytree, so
    that tasks stack in a fleet. Inputs and noise are drawn from separate keys: the same key with
    another noise has the same x.
    """

    inputs: Inputs
    target: Target
    noise: Float[Array, ""]
    noise_law: NoiseLaw = eqx.field(static=True)

    def __init__(
        self,
        inputs: Inputs,
        target: Target,
        noise: Any = 0.0,
        noise_law: NoiseLaw = "rademacher",
    ) -> None:
        _check_dims(inputs, target)
        _check_noise(noise, noise_law)
        self.inputs, self.target = inputs, target
        self.noise, self.noise_law = default_float(noise), noise_law

    @property
    def dim(self) -> int:
        return self.inputs.dim

    def sample(self, key: Key[Array, ""], n: int, dtype: Any = jnp.float32) -> Sample:
        """n labelled points."""
        n = check_count("n", n)
        x_key, noise_key = jax.random.split(key)
        x = self.inputs.sample(x_key, n, dtype)
        return Sample(x, self.label(x, noise_key))

    def label(self, x: Float[Array, "n d"], key: Key[Array, ""]) -> Float[Array, "n *k"]:
        """Noisy labels of given points; `target(x)` are the noiseless ones."""
        y = self.target(x)
        return y + self.noise.astype(y.dtype) * _unit_noise(key, y, self.noise_law)

    def batch(self, key: Key[Array, ""], step: int | Int[Array, ""], n: int) -> Sample:
        """The n fresh points of one step of a stream: a pure function, for use inside `scan`."""
        return self.sample(jax.random.fold_in(key, step), n)

    def stream(self, key: Key[Array, ""], batch: int) -> Iterator[Sample]:
        """`self.batch(key, 0, batch)`, `self.batch(key, 1, batch)`, … without end."""
        return _stream(self, key, check_count("batch", batch))


def _stream(task: Task, key: Key[Array, ""], size: int) -> Iterator[Sample]:
    step = 0
    while True:
        yield _batch(task, key, jnp.asarray(step, jnp.int32), size)
        step += 1


@eqx.filter_jit
def _batch(task: Task, key: Key[Array, ""], step: Int[Array, ""], n: int) -> Sample:
    return task.batch(key, step, n)


def _unit_noise(key: Key[Array, ""], y: Array, law: NoiseLaw) -> Array:
    if law == "gaussian":
        return jax.random.normal(key, y.shape, y.dtype)
    up = jax.random.uniform(key, y.shape, jnp.float32) < 0.5
    return jnp.where(up, jnp.ones((), y.dtype), -jnp.ones((), y.dtype))


def _check_dims(inputs: Inputs, target: Target) -> None:
    if inputs.dim != target.dim:
        raise InvalidInputError(
            f"The inputs have dim {inputs.dim} and the target has dim {target.dim}. "
            "Give both the same dim."
        )


def _check_noise(noise: Any, law: str) -> None:
    if law not in ("rademacher", "gaussian"):
        raise InvalidInputError(f'noise_law must be "rademacher" or "gaussian", got {law!r}.')
    if np.shape(noise) != ():
        raise InvalidInputError(f"noise must be one number, got shape {np.shape(noise)}.")
    if not traced(noise) and not 0 <= float(noise) < np.inf:
        raise InvalidInputError(
            f"noise must be finite and at least 0, got {noise}. "
            "It is the standard deviation of the label noise."
        )
