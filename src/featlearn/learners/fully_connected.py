"""Fully connected networks, the rivals of the residual one.

h_1 = σ(W(x, 1)),   h_ℓ = σ(V_ℓ (h_{ℓ−1}, 1)) for ℓ = 2 … L − 1,   f = A h_{L−1}
"""

import equinox as eqx
from jaxtyping import Array, Key

from featlearn.learners._fitting import fit_checked
from featlearn.learners._layered import Chain, Start, check_start, check_whole
from featlearn.learners._trained import Schedule, Train, TrainedFit, fit_network, original
from featlearn.samples import Sample
from featlearn.training import Optimiser


class FullyConnected(eqx.Module):
    """L = `depth` layers of weights, `width` neurons in each hidden one, trained as `Residual` is.

    FullyConnected(2, 1000, optimiser=original(rate=0.5)).fit(sample, key=key)
    """

    network: Chain
    schedule: Schedule

    def __init__(
        self,
        depth: int,
        width: int,
        train: Train = "hidden",
        *,
        start: Start = "slides",
        optimiser: Optimiser | None = None,
        epochs: int = 800,
        batch: int = 50,
        snapshots: tuple[int, ...] = (),
    ) -> None:
        check_start(start)
        depth = check_whole("depth", depth, least=2)
        self.network = Chain(depth, check_whole("width", width), start)
        how = original() if optimiser is None else optimiser
        self.schedule = Schedule(train, how, epochs, batch, None, None, snapshots)

    def fit(self, sample: Sample, *, key: Key[Array, ""]) -> TrainedFit:
        """Train on a sample; the last fifth of its rows only measures."""
        return fit_checked(self, sample, key)

    def fit_arrays(self, sample: Sample, key: Key[Array, ""]) -> TrainedFit:
        """`fit` without checks: pure, and so fit for `jit` and `vmap`."""
        return fit_network(self.network, self.schedule, sample, key)
