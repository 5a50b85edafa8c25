"""Random networks of finite width, and how far their kernels are from the closed forms.

    h_0 = x,   h_l = φ(σ_w W_l h_{l−1}/√m + σ_b b_l),   f = σ_w ⟨a, h_L⟩/√m + σ_b b_{L+1}

(1/√d in the place of 1/√m in the first layer; every weight and bias is N(0, 1)).

    tangent     K_m = ⟨∇f(x), ∇f(y)⟩                    K = NTK
    conjugate   K_m = σ_w² ⟨h_L(x), h_L(y)⟩/m + σ_b²     K = Conjugate
    error       √(mean of |K_m − K|²/|K|²) over networks, norms of Frobenius

At depth 1 K_m is a mean of m independent terms, so that the error is C/√m at every m; each
further layer is right up to a relative O(1/m).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from featlearn import seeds
from featlearn.engine import Cell, Outcome
from featlearn.inputs import Gaussian
from featlearn.kernels import NTK, Conjugate, empirical_ntk
from featlearn.kernels.activations import as_activation
from featlearn.studies._fleets import outcomes

WEIGHT = 2.0  # σ_w²
FACTOR = 1.2  # of σ_w², in a closed form that is wrong
ACTIVATIONS = ("relu", "erf")  # a number in the program, so that one serves both
KERNELS: dict[str, Any] = {"tangent": NTK, "conjugate": Conjugate}
FORMS = ("error", "wrong_variance", "wrong_activation")


class Keys(NamedTuple):
    """Separate streams: another network changes nobody's points."""

    data: Key[Array, ""]
    start: Key[Array, ""]


class Experiment(eqx.Module):
    """Networks of one depth, drawn with `neurons` in each layer, of which the first m exist.

    Of these the first `distinct` are drawn and the others are copies of them.
    """

    depth: int = eqx.field(static=True)
    neurons: int = eqx.field(static=True)
    networks: int = eqx.field(static=True)
    points: int = eqx.field(static=True)
    dim: int = eqx.field(static=True)

    def __call__(
        self,
        activation: Int[Array, ""],
        width: Int[Array, ""],
        distinct: Int[Array, ""],
        bias: Float[Array, ""],
        keys: Keys,
    ) -> dict[str, Float[Array, ""]]:
        x = Gaussian(self.dim).sample(keys.data, self.points, jnp.float64)
        right = self.closed_forms(x, activation, bias)

        def one(key: Key[Array, ""]) -> Float[Array, "2 3"]:
            found = self.finite(x, self.draw(key, distinct), activation, width, bias)
            gaps = jnp.sum((found[:, None] - right) ** 2, axis=(2, 3))
            return gaps / jnp.sum(right**2, axis=(2, 3))

        draws = jax.random.split(jax.random.fold_in(keys.start, width), self.networks)
        errors = jnp.sqrt(jnp.mean(jax.lax.map(one, draws), axis=0))
        return {
            f"{kernel}_{form}": errors[i, j]
            for i, kernel in enumerate(KERNELS)
            for j, form in enumerate(FORMS)
        }

    def closed_forms(
        self, x: Float[Array, "n d"], activation: Int[Array, ""], bias: Float[Array, ""]
    ) -> Float[Array, "2 3 n n"]:
        """Both kernels as they should be, with another σ_w², and with the other activation."""

        def grams(kernel: Any, weight: float) -> Float[Array, "2 n n"]:
            each = [kernel(self.depth, weight, bias, as_activation(a))(x) for a in ACTIVATIONS]
            return jnp.stack(each)

        def forms(kernel: Any) -> Float[Array, "3 n n"]:
            right, scaled = grams(kernel, WEIGHT), grams(kernel, FACTOR * WEIGHT)
            return jnp.stack([right[activation], scaled[activation], right[1 - activation]])

        return jnp.stack([forms(kernel) for kernel in KERNELS.values()])

    def draw(self, key: Key[Array, ""], distinct: Int[Array, ""]) -> list[dict[str, Array]]:
        """Weights and biases, layer by layer; neuron j is a copy of neuron j mod `distinct`."""
        original = jnp.arange(self.neurons) % distinct
        *hidden, last = jax.random.split(key, self.depth + 1)
        layers, inputs = [], self.dim
        for each in hidden:
            w = jax.random.normal(each, (self.neurons, inputs + 1), jnp.float32)[original]
            layers.append({"w": w[:, :-1], "b": w[:, -1]})
            inputs = self.neurons
        a = jax.random.normal(last, (inputs + 1,), jnp.float32)
        return [*layers, {"w": a[:-1][original], "b": a[-1]}]

    def finite(
        self,
        x: Float[Array, "n d"],
        layers: list[dict[str, Array]],
        activation: Int[Array, ""],
        width: Int[Array, ""],
        bias: Float[Array, ""],
    ) -> Float[Array, "2 n n"]:
        """The empirical NTK and the empirical conjugate kernel."""
        exists = jnp.arange(self.neurons) < width
        scale = jnp.sqrt(WEIGHT / width)

        def phi(z: Array) -> Array:  # a branch: erf in float64 is dear
            return jax.lax.switch(activation, [as_activation(a) for a in ACTIVATIONS], z)

        def hidden(layers: Any, x: Array) -> Array:
            h, fan = x, jnp.sqrt(WEIGHT / self.dim)
            for layer in layers[:-1]:
                z = fan * h @ layer["w"].T + jnp.sqrt(bias) * layer["b"]
                h, fan = jnp.where(exists, phi(z), 0.0), scale
            return h

        def network(layers: Any, x: Array) -> Array:
            last = layers[-1]
            return scale * hidden(layers, x) @ last["w"] + jnp.sqrt(bias) * last["b"]

        layers = jax.tree.map(lambda leaf: leaf.astype(jnp.float64), layers)
        h = hidden(layers, x)
        # Few points and many parameters: to contract two Jacobians takes longer.
        tangent = empirical_ntk(network, layers, mode="products")(x)
        return jnp.stack([tangent, scale**2 * h @ h.T + bias])


def measure_cells(cells: Sequence[Cell]) -> list[Outcome]:
    """The outcomes of a fleet, in the order of its cells."""
    first: Any = cells[0].parameters
    experiment = Experiment(
        depth=first["depth"],
        neurons=first["neurons"],
        networks=first["networks"],
        points=first["points"],
        dim=first["d"],
    )
    activation = jnp.asarray([ACTIVATIONS.index(cell.parameters["activation"]) for cell in cells])
    width, distinct = (
        jnp.asarray([cell.parameters[name] for cell in cells], jnp.int32)
        for name in ("width", "distinct")
    )
    bias = jnp.asarray([cell.parameters["bias"] for cell in cells], jnp.float64)
    members = (activation, width, distinct, bias, _keys(cells))
    return outcomes(experiment, *members, block=1)  # the gradients of one network fill a GPU


def _keys(cells: Sequence[Cell]) -> Keys:
    """Keys from (study, role, repetition) alone."""
    return Keys(
        *(
            jnp.stack([seeds.key(cell.study, role, cell.repetition) for cell in cells])
            for role in Keys._fields
        )
    )
