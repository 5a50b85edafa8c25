"""Complexities from below: what a function does along rays bounds them.

For φ(z) = Σ a_i z^i and |⟨w, x⟩| ≤ R, z φ'(z) = Σ i a_i z^i, so that

    max_x |⟨x, ∇f(x)⟩| ≤ Σ_i |a_i| i R^i = C(f)

for each output, with equality where one unit has coefficients of one sign and x lies along w.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.inputs import Inputs
from featlearn.targets import Facts, Target
from featlearn.testing._moments import slopes
from featlearn.testing.bands import ROUNDING, require

NAMES = ("base_complexity", "composite_complexity", "composed_complexity")


def check_complexities(
    target: Target, facts: Facts, inputs: Inputs, x: Float[Array, "n d"]
) -> None:
    """Positive numbers, and βC(F) + αC(G∘F) at least the largest ⟨x, ∇f⟩ among the draws."""
    for name in NAMES:
        value = getattr(facts, name)
        require(
            value is None or (np.isfinite(value) and value > 0),
            f"{name}: {value} is not a positive number.",
        )
    bound = _bound(facts)
    if bound is None:
        return
    require(inputs.largest_norm() is not None, "base_complexity: declared under unbounded inputs.")
    gradients = slopes(target, x)
    along = jnp.einsum("n...d,nd->n...", gradients, x[: len(gradients)])
    found = float(jnp.abs(along).max(axis=0).sum())
    parts = " and composed_complexity" if facts.composed_complexity is not None else ""
    require(
        found <= bound * (1 + ROUNDING),
        f"base_complexity{parts}: {bound:.6g} declared, and along a ray f changes by {found:.6g}.",
    )


def _bound(facts: Facts) -> float | None:
    """C of the whole target, where its parts are declared."""
    if facts.base_complexity is None:
        return None
    if facts.composite_complexity is None:
        return facts.base_complexity
    if facts.composed_complexity is None or facts.gaps is None:
        return None
    beta, alpha = facts.gaps
    return beta * facts.base_complexity + alpha * facts.composed_complexity
