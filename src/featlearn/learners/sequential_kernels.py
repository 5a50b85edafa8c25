"""Kernel ridge applied to what the previous kernel ridge found, for 2 … L rounds.

    f_1      ←  ridge on z_1 = x
    f_t      ←  ridge on z_t = (x, s_{t−1} h_{t−1}(x), …)         t = 2 … L, each round from scratch

What a round hands on, beside x and beside all that earlier rounds handed on:

    predictions      h_t = f_t(x), one column for each output
    eigenfunctions   h_t = the r top eigenfunctions of the round's kernel on its training points,
                     h_tj(x) = √n/μ_j Σ_i K(z_t(x), z_t(x_i)) v_ji,  of mean square 1 there

Training rows are handed the fitted values of the round before (not held-out ones), as layer-wise
training hands them on. s_t makes the mean squares of the columns that a round adds sum to `gain`
times those of x's columns: for gain 1 they weigh as much as x itself in a distance. Every round
chooses its λ, and among candidates its kernel, on the validation rows; the fit is the round of
least validation error.
"""

from collections.abc import Sequence
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from featlearn.decompositions import eigh
from featlearn.errors import InvalidInputError
from featlearn.kernels import Kernel
from featlearn.kernels.ridge import PENALTIES, least
from featlearn.learners._dual import DualRule, check_definite, check_solved, stack_kernels
from featlearn.learners._fitting import check_level, fit_checked, like_inputs
from featlearn.learners._head import check_penalties
from featlearn.learners._split import Rows, Split, split_rows
from featlearn.precision import double_inside
from featlearn.samples import Sample, check_sample

Handed = Literal["predictions", "eigenfunctions"]


class KernelRound(eqx.Module):
    """f_t(z) = Σ_i K(z, z_i) α_i, and the columns K(z, z_i) β_i that it hands on."""

    kernel: Kernel
    points: Float[Array, "n p"]
    coefficients: Float[Array, "n k"]
    handed: Float[Array, "n h"]

    def predict(self, z: Float[Array, "m p"]) -> Float[Array, "m k"]:
        return self.kernel.product(z, self.points, self.coefficients)

    def extend(self, z: Float[Array, "m p"]) -> Float[Array, "m p+h"]:
        """z of the next round."""
        return jnp.concatenate([z, self.kernel.product(z, self.points, self.handed)], axis=1)


class SequentialFit(eqx.Module):
    """f of the best round, `record["round"]`, counted from 1."""

    rounds: tuple[KernelRound, ...]
    best: Int[Array, ""]  # counted from 0
    record: dict[str, Any]
    dim: int = eqx.field(static=True)
    flat: bool = eqx.field(static=True)  # labels had shape (n,)

    @double_inside
    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]:
        z = like_inputs(x, self.dim, jnp.float64)
        shown = []
        for each in self.rounds:
            shown.append(each.predict(z))
            z = each.extend(z)
        out = jnp.stack(shown)[self.best]
        return out[:, 0] if self.flat else out

    @double_inside
    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n p"]:
        """z of round `level` + 1: x and what the first `level` rounds handed on."""
        check_level(level, len(self.rounds))
        z = like_inputs(x, self.dim, jnp.float64)
        for each in self.rounds[:level]:
            z = each.extend(z)
        return z


class SequentialKernels(eqx.Module):
    """Kernel ridge on the outputs or features of the kernel ridge before.

    kernel       a kernel, or several of one form: each round chooses among them
    rounds       L, at least 2; the best of 1 … L is the fit
    hand_on      "predictions" or "eigenfunctions": see above
    features     how many eigenfunctions
    gain         what the added columns weigh beside x
    penalties    candidates for λ
    """

    kernels: Kernel  # the candidates, stacked
    rounds: int = eqx.field(static=True)
    hand_on: Handed = eqx.field(static=True)
    features: int = eqx.field(static=True)
    gain: float | Float[Array, ""]
    rule: DualRule

    def __init__(
        self,
        kernel: Kernel | Sequence[Kernel],
        rounds: int = 2,
        *,
        hand_on: Handed = "predictions",
        features: int = 10,
        gain: float = 1.0,
        penalties: tuple[float, ...] = PENALTIES,
    ) -> None:
        self.kernels, _ = stack_kernels(kernel, "SequentialKernels")
        _check_count("rounds", rounds, 2)
        _check_count("features", features, 1)
        if hand_on not in ("predictions", "eigenfunctions"):
            raise InvalidInputError(
                f"hand_on must be 'predictions' or 'eigenfunctions', got {hand_on!r}."
            )
        if not 0 < gain < np.inf:
            raise InvalidInputError(f"gain must be positive and finite, got {gain}.")
        self.rounds, self.hand_on, self.features = rounds, hand_on, features
        self.gain = float(gain)
        self.rule = DualRule(check_penalties(penalties), "exact")

    def fit(self, sample: Sample, *, key: Key[Array, ""]) -> SequentialFit:
        """Fit on a sample; the last fifth of its rows chooses. Nothing is drawn from `key`."""
        self.rule.check_memory(sample, "Take fewer samples.")
        check_sample(sample)
        check_definite(self.kernels, sample.x)
        fitted = fit_checked(self, sample, key)
        check_solved(fitted.record, self.rule.iterations)
        return fitted

    def fit_arrays(self, sample: Sample, key: Key[Array, ""]) -> SequentialFit:
        """`fit` without checks: pure, and so fit for `jit` and `vmap`."""
        split = Split(*(rows._replace(x=rows.x.astype(jnp.float64)) for rows in split_rows(sample)))
        weigh = self.gain * sample.dim * _mean_square(split.train.x, split.train)
        rounds, records = [], []
        for _ in range(self.rounds):
            kernel, coefficients, record = self.rule.fit(self.kernels, split, key)
            handed = self._handed(kernel, split.train, coefficients)
            plain = KernelRound(kernel, split.train.x, coefficients, handed)
            columns = plain.extend(split.train.x)[:, split.train.x.shape[1] :]
            total = columns.shape[1] * _mean_square(columns, split.train)
            scale = jnp.sqrt(weigh / jnp.maximum(total, jnp.finfo(jnp.float64).tiny))
            done = eqx.tree_at(lambda r: r.handed, plain, scale * handed)
            split = Split(*(rows._replace(x=done.extend(rows.x)) for rows in split))
            rounds.append(done)
            records.append(record)
        together = jax.tree.map(lambda *leaves: jnp.stack(leaves), *records)
        errors = jnp.nanmin(together["candidate_errors"], axis=1)
        best = least(errors)
        record = jax.tree.map(lambda leaf: leaf[best], together)
        return SequentialFit(
            rounds=tuple(rounds),
            best=best,
            record=record | {"round": best + 1, "round_errors": errors},
            dim=sample.dim,
            flat=sample.y.ndim == 1,
        )

    def _handed(
        self, kernel: Kernel, train: Rows, coefficients: Float[Array, "n k"]
    ) -> Float[Array, "n h"]:
        if self.hand_on == "predictions":
            return coefficients
        weight = train.weight.astype(jnp.float64)
        values, vectors = eigh(kernel(train.x) * weight[:, None] * weight)
        count = min(self.features, values.shape[0])
        top, v = values[::-1][:count], vectors[:, ::-1][:, :count]
        kept = top > 1e-10 * top[0]
        root = jnp.sqrt(train.number.astype(jnp.float64))
        return jnp.where(kept, root * v / jnp.where(kept, top, 1.0), 0.0) * weight[:, None]


def _mean_square(columns: Float[Array, "n p"], rows: Rows) -> Float[Array, ""]:
    """Over existing rows and over columns."""
    weight = rows.weight.astype(jnp.float64)
    return weight @ jnp.mean(columns**2, axis=1) / rows.number


def _check_count(name: str, value: Any, least_: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least_:
        raise InvalidInputError(f"{name} must be a whole number of at least {least_}, got {value}.")
