"""Where batches come from: pure functions of a key and the number of the step.

    Fresh(task, 1000)                 new points at every step, `task.batch(key, step, 1000)`
    Fresh(draw)                       the same from any pure `draw(key, step) -> Sample`
    Epochs(sample, 50)                a fixed sample, shuffled anew in every epoch
    Epochs(sample, 50, replace=True)  rows drawn with replacement
    Epochs(sample)                    the whole sample at every step

An epoch is ⌊n/batch⌋ batches; the rows that are left over are others each time. The shuffle is a
keyed permutation π of {0, …, n − 1}, computed where it is asked for: i = La + R on a × a cells,
a = ⌈√n⌉, goes through rounds (L, R) ← (R, L + hash(R) mod a), each a bijection, until it is
below n. So n may differ from member to member of a fleet, and no step sorts n numbers.
"""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key, UInt32

from featlearn.errors import InvalidInputError
from featlearn.samples import Sample

_ROUNDS = 6


class Fresh(eqx.Module):
    """New points at every step: of a task, or of a pure function `draw(key, step) -> Sample`."""

    origin: Any
    batch: int | None = eqx.field(static=True, default=None)

    def __check_init__(self) -> None:
        if hasattr(self.origin, "batch") and (self.batch is None or self.batch < 1):
            raise InvalidInputError(f"A stream needs a batch of at least 1, got {self.batch}.")

    def __call__(self, key: Key[Array, ""], step: Int[Array, ""]) -> Sample:
        if hasattr(self.origin, "batch"):
            drawn: Sample = self.origin.batch(key, step, self.batch)
            return drawn
        return self.origin(key, step)

    @property
    def ahead(self) -> int:
        """How many batches are drawn at once: one long draw costs less than many short ones."""
        return 16


class Epochs(eqx.Module):
    """Batches of a fixed sample; its padded rows are never drawn."""

    sample: Sample
    batch: int | None = eqx.field(static=True, default=None)
    replace: bool = eqx.field(static=True, default=False, kw_only=True)

    def __check_init__(self) -> None:
        if self.batch is None:
            return
        rows = self.sample.n if self.sample.count is None else self.sample.count
        if isinstance(rows, int | np.ndarray) or not isinstance(rows, jax.core.Tracer):
            check_batch(self.batch, int(np.min(rows)))

    def __call__(self, key: Key[Array, ""], step: Int[Array, ""]) -> Sample:
        if self.batch is None:
            return self.sample
        n = jnp.asarray(self.sample.n if self.sample.count is None else self.sample.count)
        n = n.astype(jnp.int32)
        if self.replace:
            drawn = jax.random.fold_in(key, step)
            rows = jax.random.randint(drawn, (self.batch,), 0, n, jnp.int32)
        else:
            each = jnp.maximum(n // self.batch, 1)
            places = (step % each) * self.batch + jnp.arange(self.batch, dtype=jnp.int32)
            rows = shuffled(jax.random.fold_in(key, step // each), places % n, n)
        return Sample(self.sample.x[rows], self.sample.y[rows])

    @property
    def ahead(self) -> int:
        return 1 if self.batch is None else 16


Source = Fresh | Epochs | Callable[[Key[Array, ""], Int[Array, ""]], Sample]


def check_batch(batch: int, rows: int) -> None:
    """Refuse a batch that the sample cannot fill."""
    if not 1 <= batch <= rows:
        raise InvalidInputError(
            f"A batch of {batch} cannot be taken from {rows} samples: "
            f"give a batch between 1 and {rows}."
        )


def shuffled(
    key: Key[Array, ""], places: Int[Array, "b"], n: Int[Array, ""] | int
) -> Int[Array, "b"]:
    """π(places) for the permutation π of {0, …, n − 1} that the key determines."""
    n = jnp.asarray(n).astype(jnp.uint32)
    side = jnp.ceil(jnp.sqrt(n.astype(jnp.float32))).astype(jnp.uint32)
    side = side + (side * side < n)  # √n is rounded
    salts = jax.random.bits(key, (_ROUNDS,), jnp.uint32)

    def rounds(i: UInt32[Array, "b"]) -> UInt32[Array, "b"]:
        left, right = i // side, i % side
        for salt in salts:
            left, right = right, (left + _hash(right ^ salt) % side) % side
        return left * side + right

    def walk(i: UInt32[Array, "b"]) -> UInt32[Array, "b"]:
        return jnp.where(i < n, i, rounds(i))

    found = jax.lax.while_loop(
        lambda i: jnp.any(i >= n), walk, rounds(jnp.asarray(places).astype(jnp.uint32))
    )
    return found.astype(jnp.int32)


def _hash(x: UInt32[Array, "b"]) -> UInt32[Array, "b"]:
    """A bijection of 32 bits in which every bit depends on every bit (murmur3's last steps)."""
    x = (x ^ (x >> 16)) * jnp.uint32(0x85EBCA6B)
    x = (x ^ (x >> 13)) * jnp.uint32(0xC2B2AE35)
    return x ^ (x >> 16)
