"""The parity of k coordinates of x in {−1, 1}^d/√d, by a two-layer network built by hand.

    y = d^(k/2) x_{i1} ⋯ x_{ik} = ±1,   s = √d Σ_j x_{ij} in {−k, −k + 2, …, k},   k even

y depends on s alone, and changes sign from each value of |s| to the next: a zigzag,

    y = v (1 − |s| + 2 Σ_{j=1}^{k/2−1} (−1)^(j+1) max(|s| − 2j, 0)),   v = (−1)^(k/2)

in which |s| = σ(s) + σ(−s) and max(|s| − 2j, 0) = σ(s − 2j) + σ(−s − 2j), σ = ReLU: k neurons.
With every |a_i| = 1 the weights have norm √(6·18 d) ≈ 10.4 √d for k = 6, biases left out.
"""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.networks.description import Description, Network
from featlearn.networks.layers import Dense


def parity_network(dim: int, coordinates: Sequence[int]) -> Network:
    """The network above, exact on {−1, 1}^dim/√dim; `coordinates` count from 0.

    parity_network(40, range(6))(x)      (n, 1), equal to 40³ x_1 ⋯ x_6
    """
    chosen = tuple(int(i) for i in coordinates)
    k = len(chosen)
    if k < 2 or k % 2 or len(set(chosen)) < k or not 0 <= min(chosen) <= max(chosen) < dim:
        raise InvalidInputError(
            f"A parity is of an even number of different coordinates out of 0 … {dim - 1}, "
            f"got {list(chosen)}."
        )
    value = (-1.0) ** (k // 2)
    along = np.zeros(dim)
    along[list(chosen)] = dim**0.5
    kinks = np.repeat(np.arange(0, k, 2), 2)
    slopes = value * np.where(kinks == 0, -1.0, 2.0 * (-1.0) ** (kinks // 2 + 1))
    sides = np.tile([1.0, -1.0], k // 2)
    size = np.abs(slopes)[:, None]
    first = {
        "weight": jnp.asarray(size * sides[:, None] * along, jnp.float32),
        "bias": jnp.asarray(-size[:, 0] * kinks, jnp.float32),
    }
    last = {
        "weight": jnp.asarray(np.sign(slopes)[None], jnp.float32),
        "bias": jnp.asarray([value], jnp.float32),
    }
    description = Description(dim, Dense(k, "relu", bias=True), Dense(1, bias=True))
    return Network((first, last), ({}, {}), description)


def product_norm(weight: Float[Array, "m d"], head: Float[Array, "1 m"]) -> Float[Array, ""]:
    """√(Σ_i a_i² |w_i|²): the norm of the first layer once every |a_i| is made 1."""
    return jnp.sqrt(jnp.sum(head[0] ** 2 * jnp.sum(weight**2, axis=1)))


def path_norm(weight: Float[Array, "m d"], head: Float[Array, "1 m"]) -> Float[Array, ""]:
    """Σ_i |a_i| |w_i|: half of the least Σ (a_i² + |w_i|²) that gives the same function."""
    return jnp.sum(jnp.abs(head[0]) * jnp.sqrt(jnp.sum(weight**2, axis=1)))
