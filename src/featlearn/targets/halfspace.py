"""Classification: on which side of a hyperplane, shifted by a target, x lies.

    y = 1[⟨w, x⟩ + G(Π x) − E G ≥ 0],    Π = I − wwᵀ/‖w‖²,    ‖w‖² = Var G(Πx)

w points in a uniform direction. The label needs layer ℓ of G where the layers below leave it open:
|⟨w, x⟩ + Σ_{s<ℓ} α_s w_sᵀG_s(Πx)| ≤ α_ℓ, which is so for a part of x of order α_ℓ.
"""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.inputs import Gaussian, Inputs
from featlearn.inputs._checks import check_count, default_float, traced
from featlearn.targets._base import Facts, Target
from featlearn.targets._frames import frame

BLOCK = 10_000  # draws at once


class Halfspace(Target):
    """y = 1[margin ≥ 0] in {0, 1}; build one with `halfspace`."""

    base: Target
    normal: Float[Array, "d"]  # w
    centre: Float[Array, "layers"]  # E of each part of G(Πx); its only one where G has no parts

    @property  # type: ignore[misc]
    def dim(self) -> int:  # type: ignore[override]
        return self.base.dim

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        return (self.margin(x) >= 0).astype(x.dtype)

    def margin(self, x: Float[Array, "n d"], levels: int | None = None) -> Float[Array, "n"]:
        """⟨w, x⟩ + Σ_{s ≤ levels} (α_s w_sᵀG_s(Πx) − its mean); all levels unless given."""
        along = jnp.matmul(x, self.normal.astype(x.dtype), precision="highest")
        inside, centre = self.projected(x), self.centre.astype(x.dtype)
        if levels is None:
            return along + self.base(inside) - jnp.sum(centre)
        first = _first_level(self.base)
        wanted = range(first, levels + 1)
        parts = [self.base.part(inside, s) - centre[s - first] for s in wanted]
        return along + sum(parts, jnp.zeros_like(along))

    def projected(self, x: Float[Array, "n d"]) -> Float[Array, "n d"]:
        """Πx, the part of x that G sees."""
        w = self.normal.astype(x.dtype)
        along = jnp.matmul(x, w, precision="highest") / jnp.sum(w**2)
        return x - along[:, None] * w

    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n k"]:
        """S_ℓ(Πx) of the base target; level 0 is x."""
        return self.base.features(self.projected(x), level) if level else x

    def facts(self, inputs: Inputs) -> Facts:
        """Levels and gaps of the base target; under N(0, I) the mean is not known exactly."""
        base = self.base.facts(inputs)
        return Facts(levels=base.levels, gaps=base.gaps)


def halfspace(
    base: Target, *, key: Key[Array, ""], inputs: Inputs | None = None, n: int = 100_000
) -> Halfspace:
    """y = 1[⟨w, x⟩ + G(Πx) − E G ≥ 0] with G = `base`.

    E G and Var G are averages over n draws of `inputs`, N(0, I) unless given: of a target with
    heavy tails they carry the error of these draws, and the labels are those of the numbers found.

        halfspace(dense(20, (4, 2), (1.0, 0.2), key=k), key=key).margin(x)
    """
    inputs = Gaussian(base.dim) if inputs is None else inputs
    n = check_count("n", n, least=2)
    if inputs.dim != base.dim:
        raise InvalidInputError(
            f"The base target has dim {base.dim} and the inputs have dim {inputs.dim}. "
            "Give both the same dim."
        )
    direction_key, draw_key = jax.random.split(key)
    unit = frame(direction_key, base.dim, 1)[:, 0]
    means, variance = _parts_moments(base, unit, inputs, draw_key, n)
    if not traced(variance) and not float(variance) > 0:
        raise InvalidInputError("The base target is constant off the normal: ‖w‖ would be 0.")
    return Halfspace(base, unit * jnp.sqrt(variance), default_float(means))  # type: ignore[call-arg]


@eqx.filter_jit
def _parts_moments(
    base: Target, unit: Array, inputs: Inputs, key: Key[Array, ""], n: int
) -> tuple[Array, Array]:
    """E of each part of G(Πx), and the variance of their sum, block by block."""
    size = min(n, BLOCK)

    def parts(k: Array) -> Array:
        x = default_float(inputs.sample(k, size))
        return _parts(base, x - jnp.outer(x @ unit, unit))

    drawn = jax.lax.map(parts, jax.random.split(key, -(-n // size)))  # (blocks, layers, size)
    return drawn.mean(axis=(0, 2)), drawn.sum(axis=1).var()


def _parts(base: Target, x: Array) -> Array:
    """The parts of G where it is a sum over levels, else G itself."""
    levels = getattr(base, "levels", None)
    if levels is None:
        return base(x)[None]
    return jnp.stack([base.part(x, s) for s in range(_first_level(base), levels + 1)])


def _first_level(base: Any) -> int:
    return int(np.asarray(getattr(base, "first_level", 1)))
