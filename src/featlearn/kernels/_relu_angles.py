"""Covariances of infinitely wide ReLU layers in float32, as angles that keep their digits.

An angle taken from a covariance in float32 has half its digits where θ → 0 or π. Here a pair of
points is carried as γ = 1 − |cos θ|, of which every layer makes the next without a difference of
rounded numbers. With p_l² = Var z_l, and A and S of `_arc_cosine`:

p_{l+1}² = σ_w² p_l²/2 + σ_b²                 u = √(σ_w²/2) p_l/p_{l+1},   r = 1/p_{l+1}
κ        = S + max(cos θ, 0)                  the cosine of the averages without a bias
γ_{l+1}  = ((u − u')² + σ_b² (r − r')²)/2 + u u' (1 − κ)          (u, σ_b r) is a unit vector
Σ_l      = p_l p_l' cos θ_l

Products of points, and γ_0 from them, are in float64; all that follows is in float32.
"""

from collections.abc import Iterator
from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.kernels._arc_cosine import acute, acute_gap, half_open, inverse
from featlearn.kernels._geometry import safe_sqrt, squared_norms

SINGLE = jnp.float32
Scalar = float | Float[Array, ""]


class Profile(NamedTuple):
    """What the layers make of each point alone; a vector for each layer."""

    direction: Float[Array, "n d"]  # √(σ_w²/d) x/p_0 and 1/p_0, in float64
    inverse: Float[Array, "n"]
    length: tuple[Float[Array, "n"], ...]  # p_0 … p_L
    share: tuple[Float[Array, "n"], ...]  # u and r of layers 1 … L
    lift: tuple[Float[Array, "n"], ...]


def profile(x: Float[Array, "n d"], depth: int, weight: Scalar, bias: Scalar) -> Profile:
    """The profile of each row of x, which is in float64."""
    weight, bias = jnp.asarray(weight, x.dtype), jnp.asarray(bias, x.dtype)
    lengths, shares, lifts = [safe_sqrt(weight * squared_norms(x) + bias)], [], []
    for _ in range(depth):
        lengths.append(safe_sqrt(weight * lengths[-1] ** 2 / 2 + bias))
        lifts.append(inverse(lengths[-1]))
        shares.append(jnp.sqrt(weight / 2) * lengths[-2] * lifts[-1])
    first = inverse(lengths[0])
    direction = x * (jnp.sqrt(weight / x.shape[1]) * first)[:, None]
    rounded = (tuple(v.astype(SINGLE) for v in values) for values in (lengths, shares, lifts))
    return Profile(direction, first, *rounded)


def relu_layers(
    one: Profile, other: Profile, weight: Scalar, bias: Scalar
) -> Iterator[tuple[Float[Array, "n m"], Float[Array, "n m"]]]:
    """Σ_0 and 1; then, layer by layer, Σ_l and σ_w² E 1[u>0] 1[v>0]."""
    cosine = one.direction @ other.direction.T + bias * _outer(one.inverse, other.inverse)
    gap, obtuse = acute_gap(cosine, jnp.ones((), cosine.dtype))
    gap, weight, bias = (jnp.asarray(v, SINGLE) for v in (gap, weight, bias))
    lengths, *later = map(_outer, one.length, other.length)
    yield lengths * cosine.astype(SINGLE), jnp.ones_like(gap)
    layers = zip(later, one.share, other.share, one.lift, other.lift, strict=True)
    for lengths, share, other_share, lift, other_lift in layers:
        angle, lens = acute(gap)
        slope = weight * half_open(angle, obtuse)
        below = jnp.where(obtuse, 1.0, gap) - lens
        raised = _apart(lift, other_lift)
        apart = _apart(share, other_share) ** 2 + bias * raised * raised
        gap = apart / 2 + _outer(share, other_share) * below
        obtuse = jnp.zeros_like(obtuse)
        yield lengths * (1 - gap), slope


def _outer(u: Float[Array, "n"], v: Float[Array, "m"]) -> Float[Array, "n m"]:
    return u[:, None] * v[None, :]


def _apart(u: Float[Array, "n"], v: Float[Array, "m"]) -> Float[Array, "n m"]:
    return u[:, None] - v[None, :]
