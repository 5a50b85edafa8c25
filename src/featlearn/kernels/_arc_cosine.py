"""Gaussian averages of a ReLU and of its derivative (arc-cosine kernels of order 1 and 0).

(u, v) centred Gaussian with variances a, b and covariance c = √(ab) cos θ. With φ the acute angle
between the two lines, cos φ = |cos θ| = 1 − γ:

    E relu(u) relu(v) = (√(ab) S + max(c, 0)) / 2      S = (sin φ − φ cos φ)/π
    E 1[u>0] 1[v>0]   = (1 − A) / 2 if c ≥ 0 else A / 2      A = φ/π

    A = √γ P(γ),   S = γ^{3/2} R(γ),   0 ≤ γ ≤ 1

P and R have their nearest singularity at γ = 2, so that short polynomials give them to rounding,
without an inverse tangent and without a difference: A and S keep their digits where φ → 0.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from featlearn.kernels._geometry import safe_sqrt

# 1 − |c|/√(ab) carries an error of a few units of rounding: smaller values mean θ = 0 or π.
COINCIDENT = 8 * float(np.finfo(np.float64).eps)

# P and R interpolated at Chebyshev's nodes of [0, 1], lowest power first; relative errors of the
# polynomials: 2e-8 in float32, 1e-16 in float64.
P = {
    "float32": (
        0.450158149, 0.0375138298, 0.00842708908, 0.00261546671,
        0.000470735715, 0.00106265116, -0.000633641321, 0.000385708117,
    ),
    "float64": (
        0.45015815807855303, 0.037513179839875573, 0.0084404654644302055,
        0.0025120432712749051, 0.00085479304569033461, 0.0003147109516918667,
        0.00012213566870741946, 4.8544473168499853e-05, 2.3194333491117844e-05,
        -2.2760349547236595e-06, 3.455967680020913e-05, -6.5142434985203287e-05,
        0.00011061181063192051, -0.00013663988232569477, 0.00012733421951914608,
        -8.5447208961194333e-05, 3.9497186088858236e-05, -1.1248081989185433e-05,
        1.5256232928930358e-06,
    ),
}  # fmt: skip
R = {
    "float32": (
        0.300105453, 0.0150049357, 0.00241683703, 0.000527848431,
        0.000236269319, -5.60863155e-05, 7.4634554e-05,
    ),
    "float64": (
        0.30010543871903539, 0.015005271935946689, 0.0024115615616147764,
        0.00055823182484803825, 0.00015541717544559559, 4.8414068866282469e-05,
        1.6307272362274022e-05, 5.5969615070558756e-06, 2.840628195240387e-06,
        -1.1719988364421647e-06, 4.4734891971294801e-06, -6.263502979837609e-06,
        7.2335690713008261e-06, -5.7223428841309568e-06, 3.1243267495152957e-06,
        -1.0325082367984599e-06, 1.6500388860087504e-07,
    ),
}  # fmt: skip


def relu_averages(
    a: Float[Array, "n 1"], b: Float[Array, "1 m"], c: Float[Array, "n m"]
) -> tuple[Float[Array, "n m"], Float[Array, "n m"]]:
    """E relu(u) relu(v) and E 1[u>0] 1[v>0].

    Both are 0 and 1/2 where a point has no variance. Derivatives are finite everywhere: where
    u = ±v the second has none (a cusp), and gets the mean 0 of its one-sided derivatives.
    """
    length_a, length_b = safe_sqrt(a), safe_sqrt(b)
    gap, obtuse = acute_gap(c, inverse(length_a) * inverse(length_b))
    angle, lens = acute(gap)
    both = (length_a * length_b) * lens + jnp.where(obtuse, 0.0, c)
    return both / 2, half_open(angle, obtuse)


def acute_gap(
    c: Float[Array, "n m"], scale: Float[Array, "n m"] | Float[Array, ""]
) -> tuple[Float[Array, "n m"], Bool[Array, "n m"]]:
    """γ = 1 − |c| · scale, scale = 1/√(ab), and whether θ is obtuse; γ = 0 where scale = 0."""
    obtuse = c < 0
    gap = 1 - jnp.where(obtuse, -c, c) * scale
    return jnp.where((gap > COINCIDENT) & (scale > 0), gap, 0.0), obtuse


def acute(gap: Float[Array, "*s"]) -> tuple[Float[Array, "*s"], Float[Array, "*s"]]:
    """A and S of the acute angle with cosine 1 − γ."""
    root = safe_sqrt(gap)
    kind = gap.dtype.name
    return root * _polynomial(P[kind], gap), root * (gap * _polynomial(R[kind], gap))


def half_open(angle: Float[Array, "*s"], obtuse: Bool[Array, "*s"]) -> Float[Array, "*s"]:
    """E 1[u>0] 1[v>0]."""
    return jnp.where(obtuse, angle, 1 - angle) / 2


def inverse(length: Float[Array, "*s"]) -> Float[Array, "*s"]:
    """1/length, and 0 where it is 0."""
    return jnp.where(length > 0, 1 / jnp.where(length > 0, length, 1.0), 0.0)


def _polynomial(coefficients: tuple[float, ...], x: Float[Array, "*s"]) -> Float[Array, "*s"]:
    """Horner's scheme."""
    *lower, value = coefficients
    result = jnp.full_like(x, value)
    for coefficient in reversed(lower):
        result = result * x + coefficient
    return result
