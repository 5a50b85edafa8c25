"""The laboratory of the NTK regime: a network and its linear model, trained alike and compared.

    loss     mean log(1 + e^{−s · c (f(W, x) − f(W_0, x))}),   labels s of random sign, c the dial
    step     η = rate · n/(m c²): the change of f in one step is of the order of its residual

A large c keeps a network near its start, a small one lets it move: the lazy–rich dial. The last
layer stays as it is drawn, as in the document; |x| = 1.
"""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from featlearn.engine import Cell, Outcome
from featlearn.fleet import map_members
from featlearn.kernels import empirical_ntk
from featlearn.measures import changed_signs_of_layers, linearised, movement, parameter_gap
from featlearn.measures.alignment import kernel_change
from featlearn.measures.linearisation import gap_of
from featlearn.networks import Description, ntk_network
from featlearn.samples import Sample
from featlearn.studies.beyond._fleets import keys_of, numbers_of, outcomes_of
from featlearn.training import Epochs, Optimiser, Training, cross_entropy

POINTS = 128  # fresh points on which gaps and signs are measured
KERNEL_POINTS = 16


class Laboratory(eqx.Module):
    """Trains on `count` of `rows` points and measures at the `moments` of training."""

    description: Description = eqx.field(static=True)
    rows: int = eqx.field(static=True)
    moments: tuple[int, ...] = eqx.field(static=True)

    def __call__(
        self,
        count: Int[Array, ""],
        rate: Float[Array, ""],
        scale: Float[Array, ""],
        start_scale: Float[Array, ""],
        data: Key[Array, ""],
        begin: Key[Array, ""],
        test: Key[Array, ""],
    ) -> dict[str, Float[Array, ""]]:
        sample = random_signs(data, self.rows, self.description.given[0], count)
        start = first_layer_times(self.description.draw(begin).trained, start_scale)
        x = on_sphere(test, POINTS, self.description.given[0])
        path, tangents = (
            self.path(sample, start, rate, scale, begin, linear) for linear in (False, True)
        )
        return self.measured(start, path, tangents, x)

    def fn(self, weights: Any, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        """f(W, x); nothing is frozen, since this network has no gates."""
        return self.description.apply(weights, self.nothing, x)[:, 0]

    @property
    def nothing(self) -> tuple[dict[str, Any], ...]:
        return tuple({} for _ in self.description.layers)

    def path(
        self, sample: Sample, start: Any, rate: Array, scale: Array, key: Array, linear: bool
    ) -> Any:
        """The weights at each moment, of the network or of its linear model."""

        def model(weights: Any, x: Array) -> Array:
            return linearised(self.fn, start, weights, x) if linear else self.fn(weights, x)

        def loss(weights: Any, batch: Sample) -> Array:
            moved = model(weights, batch.x) - self.fn(start, batch.x)
            return cross_entropy(scale * moved, batch)

        hidden = (*[1.0] * (len(self.description.layers) - 1), 0.0)
        training = Training(
            loss,
            Epochs(sample),
            Optimiser("sgd", rate=rate / scale**2),
            self.moments[-1],
            parts=hidden,
            snapshots=self.moments,
        )
        trained = training(start, key)
        return trained.trajectory, trained.record

    def measured(self, start: Any, path: Any, tangent_path: Any, x: Array) -> dict[str, Array]:
        (trajectory, record), (tangents, _) = path, tangent_path
        before = self.fn(start, x)
        seen = self.description.preactivations(start, self.nothing, x)

        def at(weights: Any, tangent: Any) -> dict[str, Array]:
            gap = gap_of(before, self.fn(weights, x), linearised(self.fn, start, weights, x))
            now = self.description.preactivations(weights, self.nothing, x)
            signs = [each.value for each in changed_signs_of_layers(seen, now)]
            return {
                "gap": gap.value,
                "parameter_gap": parameter_gap(start, weights, tangent),
                "signs": jnp.mean(jnp.stack(signs)),
                "movement": movement(start[:-1], weights[:-1]),
            }

        curves = jax.vmap(at)(trajectory, tangents)
        last = jax.tree.map(lambda a: a[-1], trajectory)
        values = {name: curve[-1] for name, curve in curves.items()}
        for i, moment in enumerate(self.moments[:-1]):
            values |= {f"{name}_at_{moment}": curve[i] for name, curve in curves.items()}
        near = x[:KERNEL_POINTS]
        kernels = [empirical_ntk(self.fn, w, dtype="float32")(near) for w in (start, last)]
        values["kernel_change"] = kernel_change(*kernels).value
        values["loss"] = record["loss"][-1]
        return {name: jnp.asarray(v, jnp.float64) for name, v in values.items()}


def first_layer_times(weights: Any, scale: Float[Array, ""]) -> Any:
    """The first hidden layer's start, scaled."""
    first = jax.tree.map(lambda a: (scale * a).astype(a.dtype), weights[0])
    return (first, *weights[1:])


def random_signs(key: Key[Array, ""], rows: int, dim: int, count: Int[Array, ""]) -> Sample:
    """Points on the sphere with labels 0 or 1 that have nothing to do with them."""
    x_key, y_key = jax.random.split(key)
    up = jax.random.uniform(y_key, (rows,), jnp.float32) < 0.5
    return Sample(on_sphere(x_key, rows, dim), up.astype(jnp.float32), count)


def on_sphere(key: Key[Array, ""], rows: int, dim: int) -> Float[Array, "n d"]:
    """|x| = 1."""
    x = jax.random.normal(key, (rows, dim), jnp.float32)
    return x / jnp.linalg.norm(x, axis=1, keepdims=True)


def measure_lazy(cells: Sequence[Cell]) -> list[Outcome]:
    """The outcomes of a fleet, in the order of its cells."""
    first = cells[0].parameters
    laboratory = Laboratory(
        ntk_network(first["d"], first["width"], first["depth"]),
        first["rows"],
        tuple(first["moments"]),
    )
    found = map_members(
        laboratory,
        numbers_of(cells, "n", jnp.int32),
        *(numbers_of(cells, name, jnp.float32) for name in ("rate", "scale", "start_scale")),
        *(keys_of(cells, role) for role in ("data", "start", "test")),
        block=1 if jax.default_backend() == "cpu" else None,
        effort="little",
    )
    return outcomes_of(found)
