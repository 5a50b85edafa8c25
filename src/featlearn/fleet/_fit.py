"""`fit_many`: the fits of a learner on many samples, as one compiled program."""

from collections.abc import Iterator, Sequence
from numbers import Real
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Key

from featlearn.errors import InvalidInputError
from featlearn.fleet._map import map_members
from featlearn.learners._protocol import Fitted, Learner
from featlearn.precision import double_inside, double_precision
from featlearn.samples import Sample, check_sample


class Fleet(eqx.Module):
    """Fitted members, stacked. `fleet[i]` is one of them; `fleet(x)` predicts with all."""

    stacked: Any
    size: int = eqx.field(static=True)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> Fitted:
        if not -self.size <= index < self.size:
            raise IndexError(f"this fleet has {self.size} members, got index {index}")
        return jax.tree.map(lambda leaf: leaf[index] if eqx.is_array(leaf) else leaf, self.stacked)

    def __iter__(self) -> Iterator[Fitted]:
        return (self[i] for i in range(self.size))

    @double_inside
    def __call__(self, x: Array) -> Array:
        """Predictions of every member on the same points, (members, n)."""
        return eqx.filter_vmap(lambda fitted: fitted(x))(self.stacked)


@double_precision
def fit_many(
    learner: Learner | Sequence[Learner],
    samples: Sequence[Sample] | Sample,
    keys: Key[Array, "r"] | Sequence[Key[Array, ""]],
    *,
    block: int | None = None,
    memory: int | None = None,
) -> Fleet:
    """Fit each (learner, sample, key); equals fitting one by one, to rounding.

    learner   one for all, or one for each member: they may differ in floats only
    samples   one for each member, of any sizes (shorter ones are padded); or one for all
    keys      one for each member
    """
    keys = stack_keys(keys)
    count = keys.shape[0]
    learners = stack_members(learner, count, "learners")
    stacked = _stack_samples(samples, count)
    fitted = map_members(_fit_one, learners, stacked, keys, block=block, memory=memory)
    return Fleet(stacked=fitted, size=count)


def _fit_one(learner: Learner, sample: Sample, key: Key[Array, ""]) -> Fitted:
    return learner.fit_arrays(sample, key)


def stack_keys(keys: Any) -> Key[Array, "r"]:
    """The keys of a fleet as one array."""
    if not eqx.is_array(keys):
        keys = jnp.stack(list(keys)) if len(keys) else jnp.zeros(0)
    if keys.ndim == 0 or keys.shape[0] == 0:
        raise InvalidInputError(
            f"A fleet needs a key for each member, got keys of shape {keys.shape}: "
            "split one with jax.random.split(key, count)."
        )
    return keys


def stack_members(given: Any, count: int, what: str) -> Any:
    """One config for all members, or one for each, with their floats stacked."""
    members = list(given) if isinstance(given, Sequence) else [given] * count
    _expect(len(members), count, what)
    floats = [jax.tree.map(_as_array, m) for m in members]
    arrays, rest = zip(*(eqx.partition(m, eqx.is_array) for m in floats), strict=True)
    if not all(eqx.tree_equal(r, rest[0]) for r in rest):
        raise InvalidInputError(
            f"{what.capitalize()} of one fleet may differ in floating hyper-parameters only (one "
            "program is compiled for all): fit those that differ in form or size in fleets of "
            "their own."
        )
    return eqx.combine(jax.tree.map(lambda *a: jnp.stack(a), *arrays), rest[0])


def _as_array(leaf: Any) -> Any:
    number = isinstance(leaf, Real) and not isinstance(leaf, bool)
    return jnp.asarray(leaf, jnp.float64) if number else leaf


def _stack_samples(samples: Sequence[Sample] | Sample, count: int) -> Sample:
    members = [samples] * count if isinstance(samples, Sample) else list(samples)
    _expect(len(members), count, "samples")
    for sample in {id(s): s for s in members}.values():
        check_sample(sample)
    if len({(s.dim, s.y.shape[1:]) for s in members}) > 1:
        raise InvalidInputError(
            "Samples of one fleet need the same dimension and outputs, got "
            f"{sorted({(s.dim, *s.y.shape[1:]) for s in members})}: fit them in separate fleets."
        )
    n = max(s.n for s in members)
    if all(s.n == n and s.count is None for s in members):
        return jax.tree.map(lambda *a: jnp.stack(a), *members)
    return jax.tree.map(lambda *a: jnp.stack(a), *(_padded(s, n) for s in members))


def _padded(sample: Sample, n: int) -> Sample:
    rest = n - sample.n
    return Sample(
        x=jnp.pad(jnp.asarray(sample.x), [(0, rest), (0, 0)]),
        y=jnp.pad(jnp.asarray(sample.y), [(0, rest)] + [(0, 0)] * (sample.y.ndim - 1)),
        count=jnp.asarray(sample.n if sample.count is None else sample.count),
    )


def _expect(got: int, wanted: int, what: str) -> None:
    if got != wanted:
        raise InvalidInputError(
            f"Got {got} {what} for {wanted} keys: give one for each key, or a single one for all."
        )
