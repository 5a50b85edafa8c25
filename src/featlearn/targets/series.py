"""Functions of one number as power series, and their complexity.

    φ(z) = Σ_i a_i z^i           C(φ) = Σ_i |a_i| i R^i,   |z| ≤ R

C is the complexity of "beyond kernels" (R = 1 there: x and w of unit length), and what a kernel
method pays in samples to learn φ. Exact for polynomials, in closed form for the named series,

    C(sin sz) = sR cosh sR       C(cos sz) = sR sinh sR       C(exp sz) = sR e^{sR}

(s > 0), and summed to rounding for given ones. For polynomials of several coordinates

    C(Π_{j ≤ p} x_j) = p · p^{p/2}/p! · R^p

which is the least over all ways to write the product as Σ_i a_i ⟨w_i, x⟩^p, |w_i| = 1: the
nuclear norm of its symmetric tensor. Polarisation reaches it, and ⟨T, T⟩/‖T‖_σ bounds it from
below by the same number.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import cosh, exp, factorial, inf, isfinite, lgamma, log, sinh
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.inputs._checks import check_count

BLOCK = 32  # coefficients at a time
MOST_TERMS = 4096
LEFT = 1e-15  # of the sum of its terms' sizes: what a series may leave out
FAINT = 1e-290  # below it a float soon has no digits left
SLOWEST = 0.999  # ratio of two blocks; closer to 1 and more terms would not settle it


@dataclass(frozen=True)
class Terms:
    """i ↦ a_i, and what is known of the sum in closed form. Equal terms are equal: series stack.

    length   how many coefficients a polynomial has; None for a series without end
    """

    name: str
    scale: float = 1.0
    values: tuple[float, ...] = ()
    rule: Callable[[int], float] | None = None

    @property
    def length(self) -> int | None:
        return len(self.values) or None

    def __call__(self, i: int) -> float:
        if self.values:
            return self.values[i]
        if self.rule is not None:
            return float(self.rule(i))
        return _SIGNS[self.name](i) * _over_factorial(self.scale, i)

    def value(self, z: Array) -> Array | None:
        """φ(z), where there is a closed form."""
        if self.values or self.rule is not None:
            return None
        return _FUNCTIONS[self.name](jnp.asarray(self.scale, z.dtype) * z)

    def size(self, radius: float) -> float | None:
        """C(φ), where there is a closed form."""
        if self.values or self.rule is not None:
            return None
        r = abs(self.scale) * radius
        return r * _SIZES[self.name](r)


_SIGNS: dict[str, Callable[[int], float]] = {
    "sin": lambda i: float((-1) ** (i // 2) * (i % 2)),
    "cos": lambda i: float((-1) ** (i // 2) * (1 - i % 2)),
    "exp": lambda i: 1.0,
}
_FUNCTIONS: dict[str, Callable[[Array], Array]] = {"sin": jnp.sin, "cos": jnp.cos, "exp": jnp.exp}
_SIZES: dict[str, Callable[[float], float]] = {"sin": cosh, "cos": sinh, "exp": exp}


class Series(eqx.Module):
    """φ(z) = Σ a_i z^i. Build one with `polynomial`, `sine`, `cosine`, `exponential`, `given`."""

    term: Terms = eqx.field(static=True)
    range: float = eqx.field(static=True, default=inf)  # where a series without closed form is used

    def __call__(self, z: Float[Array, "..."]) -> Float[Array, "..."]:
        """φ(z), in the dtype of z."""
        known = self.term.value(z)
        if known is not None:
            return known
        total = jnp.zeros_like(z)
        for a in self.coefficients(self.range)[::-1]:
            total = total * z + jnp.asarray(a, z.dtype)
        return total

    @property
    def length(self) -> int | None:
        """How many coefficients a polynomial has."""
        return self.term.length

    @property
    def degree(self) -> int | None:
        """Of a polynomial."""
        return None if self.length is None else self.length - 1

    def coefficients(self, radius: float) -> np.ndarray:
        """a_0, a_1, …, as many as make a difference for |z| ≤ radius.

        Refuses a series that does not converge there: its terms |a_i| i R^i must fall at least
        geometrically, block after block.
        """
        if self.length is not None:
            return np.array([self.term(i) for i in range(self.length)], np.float64)
        check_radius(radius)
        if radius == 0:
            return np.array([self.term(0)])
        kept: list[float] = []
        before = total = 0.0
        while len(kept) < MOST_TERMS and isfinite(total):
            block = self._block(len(kept))
            now, faint = _block_size(block, len(kept), radius)
            kept, total = kept + block, total + now
            ratio = now / before if before else (0.0 if now == 0 and total else 1.0)
            if faint > LEFT * total:  # coefficients that underflow while their terms count
                break
            if ratio < SLOWEST and now * max(ratio, LEFT) <= LEFT * (1 - ratio) * total:
                return np.array(kept)
            before = now
        raise InvalidInputError(
            f"The series {self.term.name} does not converge for |z| ≤ {radius:.6g}, the range it "
            "will see. Give a smaller range, or coefficients that fall faster."
        )

    def _block(self, first: int) -> list[float]:
        try:
            return [self.term(i) for i in range(first, first + BLOCK)]
        except OverflowError:
            return [inf]

    def complexity(self, radius: float = 1.0) -> float:
        """C(φ) = Σ |a_i| i R^i."""
        check_radius(radius)
        known = self.term.size(radius)
        if known is not None:
            return known
        return _weighted(self.coefficients(radius), radius, by_degree=True)

    def majorant(self, radius: float) -> float:
        """Σ |a_i| R^i ≥ |φ(z)| for |z| ≤ R."""
        return _weighted(self.coefficients(radius), radius, by_degree=False)


def polynomial(coefficients: Sequence[float] | np.ndarray) -> Series:
    """a_0 + a_1 z + a_2 z² + …

    polynomial([0, 0, 1]).complexity() == 2.0
    """
    a = tuple(float(c) for c in coefficients)
    while a and a[-1] == 0:
        a = a[:-1]
    if not a or not all(map(isfinite, a)):
        raise InvalidInputError(
            f"coefficients must be finite numbers, not all 0, got {list(coefficients)}."
        )
    return Series(Terms(f"of degree {len(a) - 1}", values=a))


def power(p: int, scale: float = 1.0) -> Series:
    """scale · z^p."""
    return polynomial([0.0] * check_count("p", p) + [scale])


def sine(scale: float = 1.0) -> Series:
    """sin(scale · z)."""
    return Series(Terms("sin", _scale(scale)))


def cosine(scale: float = 1.0) -> Series:
    """cos(scale · z)."""
    return Series(Terms("cos", _scale(scale)))


def exponential(scale: float = 1.0) -> Series:
    """exp(scale · z)."""
    return Series(Terms("exp", _scale(scale)))


def given(term: Callable[[int], float], *, range: float, name: str = "Σ a_i zⁱ") -> Series:
    """Any power series, from i ↦ a_i, to be used for |z| ≤ range.

    given(lambda i: 0.5**i, range=1.0)          1/(1 − z/2)
    """
    check_radius(range)
    series = Series(Terms(name, rule=term), range=float(range))
    series.coefficients(range)
    return series


def compose(outer: Series, inner: Series, radius: float) -> Series:
    """outer(inner(z)) for |z| ≤ radius, as one series: exact for polynomials."""
    a = inner.coefficients(radius)
    b = outer.coefficients(inner.majorant(radius))
    total = np.zeros(1)
    for c in b[::-1]:  # Horner on polynomials, in z/R so that no coefficient overflows
        total = np.convolve(total, a * _powers(radius, len(a)))
        total[0] += c
    scaled = total / _powers(radius, len(total)) if radius else total[:1]
    return polynomial(scaled)


def product_complexity(p: int, radius: float = 1.0) -> float:
    """C of a product of p different coordinates on |x| ≤ R."""
    check_count("p", p)
    check_radius(radius)
    return p * (p**0.5 * radius) ** p / factorial(p)


def check_radius(radius: Any) -> None:
    """Refuse what is not the radius of a ball."""
    if not 0 <= radius < inf:
        raise InvalidInputError(
            f"The range of z must be a finite number of at least 0, got {radius}."
        )


def _block_size(block: list[float], first: int, radius: float) -> tuple[float, float]:
    """Σ |a_i| i R^i over a block, and over those of its terms whose a_i is hardly a number."""
    a, i = np.abs(block), np.arange(first, first + len(block), dtype=np.float64)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        logs = np.log(a) + np.log(i) + i * np.log(radius)
        sizes = np.exp(np.where((a == 0) | (i == 0), -np.inf, logs))
        return float(sizes.sum()), float(sizes[a < FAINT].sum())


def _weighted(a: np.ndarray, radius: float, *, by_degree: bool) -> float:
    sizes = np.abs(a) * _powers(radius, len(a))
    return float(np.sum(sizes * np.arange(len(a)) if by_degree else sizes))


def _powers(radius: float, count: int) -> np.ndarray:
    return float(radius) ** np.arange(count)


def _over_factorial(s: float, i: int) -> float:
    """s^i / i!, by logarithms: neither overflows alone."""
    return (-1.0 if s < 0 and i % 2 else 1.0) * exp(i * log(abs(s)) - lgamma(i + 1))


def _scale(scale: float) -> float:
    if not isfinite(scale) or scale == 0:
        raise InvalidInputError(f"scale must be a finite number that is not 0, got {scale}.")
    return float(scale)
