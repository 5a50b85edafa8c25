"""The three-layer residual network, which learns F first and G on top of it.

    low-rank   g = A σ(W(x, 1)),   f = g + A σ(V′(g, 1))       V = V′A: semi-over-parameterised
    full       h = σ(W(x, 1)),     f = A h + A σ(V h)          over-parameterised

A (k × m) is random and stays, unless it is trained. The low-rank form is trained by plain or
momentum SGD; the full one, in the documents, with a large learning rate, weight decay and noise:

    v_i ← (1 − ηλ_v) v_i − η (∇_{v_i} L + ξ_{v_i}),     ξ_{v_i} ~ N(0, E h hᵀ)
    w_i ← (1 − ηλ_w) w_i − η (∇_{w_i} L + ξ_{w_i}),     ξ_{w_i} ~ N(0, E (x, 1)(x, 1)ᵀ)
"""

from typing import Any, Literal

import equinox as eqx
from jaxtyping import Array, Key

from featlearn.errors import InvalidInputError
from featlearn.learners._fitting import fit_checked
from featlearn.learners._layered import ResidualNetwork, Start, check_start, check_whole
from featlearn.learners._noise import StructuredNoise
from featlearn.learners._trained import Schedule, Train, TrainedFit, fit_network, original
from featlearn.samples import Sample
from featlearn.training import Optimiser


class Residual(eqx.Module):
    """A residual network of m = `width` neurons in each layer, trained by gradient descent.

    train       "hidden": W and V; "all": A too; "last": A alone, on the random features of the
                start; "tangent": the network's linearisation in W and V at its start
    form        "low-rank" or "full"
    start       "slides": A, V of variance 1/m and W of variance 1/d; "later": all 1/m
    optimiser   momentum SGD with the schedule of the original, unless given
    epochs      passes through the training rows, in batches of `batch`
    noise       `StructuredNoise`, for the full form
    second      weight decay λ_v of V; that of the optimiser unless given
    snapshots   epochs after which the weights are kept

        Residual(1000, optimiser=original(rate=0.5, decay=5e-4)).fit(sample, key=key)
    """

    network: ResidualNetwork
    schedule: Schedule

    def __init__(
        self,
        width: int,
        train: Train = "hidden",
        *,
        form: Literal["low-rank", "full"] = "low-rank",
        start: Start = "slides",
        optimiser: Optimiser | None = None,
        epochs: int = 800,
        batch: int = 50,
        noise: StructuredNoise | None = None,
        second: Any = None,
        snapshots: tuple[int, ...] = (),
    ) -> None:
        check_start(start)
        if form not in ("low-rank", "full"):
            raise InvalidInputError(f"form must be 'low-rank' or 'full', got {form!r}.")
        if noise is not None and form == "low-rank":
            raise InvalidInputError(
                "Structured noise belongs to the full form: give form='full', or leave noise out."
            )
        self.network = ResidualNetwork(check_whole("width", width), form == "full", start)
        how = original() if optimiser is None else optimiser
        self.schedule = Schedule(train, how, epochs, batch, noise, second, snapshots)

    def fit(self, sample: Sample, *, key: Key[Array, ""]) -> TrainedFit:
        """Train on a sample; the last fifth of its rows only measures."""
        return fit_checked(self, sample, key)

    def fit_arrays(self, sample: Sample, key: Key[Array, ""]) -> TrainedFit:
        """`fit` without checks: pure, and so fit for `jit` and `vmap`."""
        return fit_network(self.network, self.schedule, sample, key)
