"""Described networks trained on a target: the loop that plain and gated networks share.

Momentum 0.9, batches of 50, half of the mean square, a tenth of the learning rate in the second
half: the schedule of the original. A quarter as many rows are drawn besides, to choose settings.
"""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.measures.estimates import over_draws
from featlearn.networks import Dense, Description, Network, Skip
from featlearn.samples import Sample
from featlearn.tasks import Task
from featlearn.training import Epochs, Optimiser, Training, half_square


class Descent(eqx.Module):
    """How a described network is trained; `hidden` leaves linear layers as they are drawn.

    With `tangent` the linear model of the network at its start is trained in its place.
    """

    description: Description = eqx.field(static=True)
    epochs: int = eqx.field(static=True)
    batch: int = eqx.field(static=True, default=50)
    hidden: bool = eqx.field(static=True, default=True)
    tangent: bool = eqx.field(static=True, default=False)

    def __call__(
        self, sample: Sample, rate: Float[Array, ""], decay: Float[Array, ""], key: Key[Array, ""]
    ) -> tuple["Trained", dict[str, Array]]:
        """The trained network, and the record of its training."""
        start_key, train_key = jax.random.split(key)
        start = self.description.draw(start_key)
        model = Trained(start, start.trained, self.tangent)
        training = Training(
            _Loss(model),
            Epochs(sample, self.batch),
            Optimiser("momentum", rate=rate, decay=decay, momentum=0.9, drops=((0.5, 0.1),)),
            self.epochs * (sample.n // self.batch),
            parts=hidden_parts(self.description.layers) if self.hidden else 1.0,
            ceiling=1e6,
        )
        done = training(start.trained, train_key)
        return Trained(start, done.params, self.tangent), done.record


class Trained(eqx.Module):
    """A network with weights that have moved, or its linear model at the start."""

    start: Network
    weights: Any
    tangent: bool = eqx.field(static=True)

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n k"]:
        if not self.tangent:
            return self.start.at(self.weights)(x)
        step = jax.tree.map(jnp.subtract, self.weights, self.start.trained)
        value, slope = jax.jvp(lambda w: self.start.at(w)(x), (self.start.trained,), (step,))
        return value + slope


class _Loss(eqx.Module):
    """½|f − y|² of a batch, as a function of what is trained."""

    model: Trained

    def __call__(self, weights: Any, batch: Sample) -> Float[Array, ""]:
        model = Trained(self.model.start, weights, self.model.tangent)
        return half_square(model(batch.x), batch)


def hidden_parts(layers: tuple[Any, ...]) -> tuple[Any, ...]:
    """1 for layers with an activation, 0 for linear ones, in the form of the weights."""

    def part(layer: Any) -> Any:
        if isinstance(layer, Skip):
            return hidden_parts(layer.layers)
        linear = isinstance(layer, Dense) and layer.after is None
        return 0.0 if linear else 1.0

    return tuple(part(layer) for layer in layers)


def measured(
    descent: Descent,
    task: Task,
    scale: float,
    n: int,
    draws: int,
    rate: Array,
    decay: Array,
    keys: tuple[Key[Array, ""], Key[Array, ""], Key[Array, ""]],
) -> tuple[Trained, dict[str, Array]]:
    """Errors on fresh points, on the validation rows and at the end of training.

    The network sees x times `scale`. Squares are summed over outputs.
    """
    data, start, test = keys
    drawn = task.sample(data, n + n // 4)
    x, y = scale * drawn.x.astype(jnp.float32), drawn.y.reshape(drawn.n, -1).astype(jnp.float32)
    model, record = descent(Sample(x[:n], y[:n]), rate, decay, start)

    def errors(z: Array) -> Array:
        return _squares(model(scale * z.astype(jnp.float32)), task.target(z))

    values = {
        "risk": over_draws(errors, task.inputs, test, draws).mean(),
        "validation": _squares(model(x[n:]), y[n:]).mean(),
        "training": _squares(model(x[:n]), y[:n]).mean(),
        "diverged": record["diverged"],
    }
    return model, {name: value.astype(jnp.float64) for name, value in values.items()}


def _squares(found: Array, wanted: Array) -> Float[Array, "n"]:
    gap = found - wanted.reshape(found.shape).astype(found.dtype)
    return jnp.sum(gap.astype(jnp.float64) ** 2, axis=1)
