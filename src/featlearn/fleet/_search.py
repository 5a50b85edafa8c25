"""A search over hyper-parameters, all settings and all seeds in one fleet."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.fleet._fit import Fleet, fit_many
from featlearn.fleet._map import map_members
from featlearn.learners._protocol import Fitted, Learner
from featlearn.samples import Sample, check_sample


@dataclass(frozen=True)
class Search:
    """Every setting fitted for every member, and what each member's validation rows chose.

    `validation` (settings, members) holds mean squares, infinite where a training diverged.
    `test_error` is the same on the test sample, if one was given: it chooses nothing, and
    `by_test` only says what choosing by it would have picked.
    """

    settings: tuple[dict[str, float], ...]
    fits: Fleet
    validation: Float[np.ndarray, "settings members"]
    test_error: Float[np.ndarray, "settings members"] | None

    @property
    def members(self) -> int:
        return self.validation.shape[1]

    @property
    def chosen(self) -> np.ndarray:
        """For each member, the place of its setting in `settings`."""
        return np.argmin(self.validation, axis=0)

    @property
    def by_test(self) -> np.ndarray | None:
        """The settings that the test sample would have chosen."""
        return None if self.test_error is None else np.argmin(self.test_error, axis=0)

    def __getitem__(self, member: int) -> Fitted:
        """The chosen fit of a member."""
        if not -self.members <= member < self.members:
            raise IndexError(f"this search has {self.members} members, got index {member}")
        member %= self.members
        return self.fits[int(self.chosen[member]) * self.members + member]

    def record(self) -> dict[str, np.ndarray]:
        """Errors of the chosen settings, and of those that the test sample would have chosen."""
        columns = np.arange(self.members)
        found = {
            "validation": self.validation,
            "chosen": self.chosen,
            "chosen_validation": self.validation[self.chosen, columns],
        }
        if self.test_error is not None:
            found["test_error"] = self.test_error[self.chosen, columns]
            found["test_error_if_chosen_by_test"] = self.test_error.min(axis=0)
        return found


def search(
    make: Callable[..., Learner],
    grid: Mapping[str, Sequence[float]],
    samples: Sequence[Sample] | Sample,
    keys: Key[Array, "r"] | Sequence[Key[Array, ""]],
    *,
    test: Sample | None = None,
    block: int | None = None,
    memory: int | None = None,
) -> Search:
    """Fit `make(**setting)` for every setting of a grid and every key, as one compiled program.

    make      a setting's numbers → a learner; settings may differ in floats only
    grid      the values of each number
    samples   one for each key, or one for all
    test      points that only measure

        search(lambda rate, decay: Residual(100, optimiser=original(rate, decay)),
               {"rate": (0.1, 0.5), "decay": (1e-4, 1e-3)}, sample, keys)
    """
    settings = _settings(grid)
    count = len(keys)
    learners = [make(**setting) for setting in settings for _ in range(count)]
    each = samples if isinstance(samples, Sample) else list(samples) * len(settings)
    repeated = [key for _ in settings for key in keys]
    fits = fit_many(learners, each, repeated, block=block, memory=memory)
    form = (len(settings), count)
    record: Any = fits.stacked.record
    if "validation" not in record:
        raise InvalidInputError(
            "A search chooses by the validation error, and these fits keep none in their record."
        )
    validation = np.asarray(record["validation"], np.float64).reshape(*form, -1).min(axis=-1)
    if "diverged" in record:
        validation = np.where(np.asarray(record["diverged"]).reshape(form), np.inf, validation)
    errors = None if test is None else _test_errors(fits, test, block, memory).reshape(form)
    return Search(settings, fits, np.where(np.isnan(validation), np.inf, validation), errors)


def _settings(grid: Mapping[str, Sequence[float]]) -> tuple[dict[str, float], ...]:
    if not grid or not all(len(values) for values in grid.values()):
        raise InvalidInputError(
            f"A search needs at least one value of each number, got {dict(grid)}."
        )
    return tuple(dict(zip(grid, values, strict=True)) for values in product(*grid.values()))


class _TestError(eqx.Module):
    """Mean square on the test points, summed over outputs."""

    x: Float[Array, "n d"]
    y: Float[Array, "n *k"]

    def __call__(self, fitted: Any) -> Float[Array, ""]:
        gap = (fitted(self.x) - self.y).reshape(self.x.shape[0], -1)
        return jnp.mean(jnp.sum(gap * gap, axis=1))


def _test_errors(fits: Fleet, test: Sample, block: int | None, memory: int | None) -> np.ndarray:
    check_sample(test, least=1)
    error = _TestError(jnp.asarray(test.x), jnp.asarray(test.y))
    return np.asarray(map_members(error, fits.stacked, block=block, memory=memory), np.float64)
