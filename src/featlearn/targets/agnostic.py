"""Labels with a model error: a target of the class, and a function far from the class.

    y = G(x) + h(x),    h(x) = √(2·OPT) cos(ω⟨v, x⟩ + φ),    E h² ≈ OPT

v and φ are uniform. Under N(0, I) the energy of h in degree k is 2·OPT e^{−ω²} ω^{2k}/k! at most,
and E h² = OPT(1 + e^{−2ω²} cos 2φ): for ω = 10 no polynomial of low degree explains any of it, so
that OPT is the least error of the class, to more digits than a training can see.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.inputs import Inputs
from featlearn.inputs._checks import check_shape, default_float, traced
from featlearn.targets._base import Facts, Target
from featlearn.targets._frames import frame


class Agnostic(Target):
    """G(x) + h(x); build one with `agnostic`. Add label noise in the `Task`."""

    base: Target
    opt: Float[Array, ""]  # E h²
    wave: Float[Array, "d"]  # ω v
    phase: Float[Array, ""]

    @property  # type: ignore[misc]
    def dim(self) -> int:  # type: ignore[override]
        return self.base.dim

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        return self.base(x) + self.error(x)

    def error(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        """h(x), what no member of the class explains."""
        angle = jnp.matmul(x, self.wave.astype(x.dtype), precision="highest")
        size = jnp.sqrt(2 * self.opt).astype(x.dtype)
        return size * jnp.cos(angle + self.phase.astype(x.dtype))

    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n k"]:
        """S_ℓ(x) of the base target."""
        return self.base.features(x, level)

    def facts(self, inputs: Inputs) -> Facts:
        """Levels and gaps of the base target, and the mean under Gaussians and their mixtures."""
        base = self.base.facts(inputs)
        return Facts(levels=base.levels, gaps=base.gaps, mean=self._mean(inputs, base.mean))

    def _mean(self, inputs: Inputs, base: Any) -> float | None:
        """E G + Σ_c p_c √(2·OPT) e^{−‖Σ_c^½ ωv‖²/2} cos(ω⟨v, μ_c⟩ + φ)."""
        parts = inputs.gaussian_parts()
        if base is None or not parts or traced((self.wave, self.opt, inputs)):
            return None
        wave, size = np.asarray(self.wave, np.float64), float(jnp.sqrt(2 * self.opt))
        waves = (
            float(p.weight)
            * np.exp(-(wave @ np.asarray(p.covariance, np.float64) @ wave) / 2)
            * np.cos(wave @ np.asarray(p.mean, np.float64) + float(self.phase))
            for p in parts
        )
        return float(base) + size * float(sum(waves))


def agnostic(base: Target, opt: Any, *, key: Key[Array, ""], frequency: float = 10.0) -> Agnostic:
    """`base` with a model error of size OPT = E h².

    agnostic(dense(20, (4, 2), (1.0, 0.2), key=k), 0.01, key=key)
    """
    check_shape("opt", opt, ())
    if not traced(opt) and not 0 <= float(opt) < np.inf:
        raise InvalidInputError(f"opt must be finite and at least 0, got {opt}: it is E h².")
    if not 0 < frequency < np.inf:
        raise InvalidInputError(f"frequency must be positive and finite, got {frequency}.")
    direction_key, phase_key = jax.random.split(key)
    unit = frame(direction_key, base.dim, 1)[:, 0]
    phase = jax.random.uniform(phase_key, (), jnp.float32, maxval=2 * np.pi)
    return Agnostic(  # type: ignore[call-arg]
        base=base, opt=default_float(opt), wave=frequency * unit, phase=default_float(phase)
    )
