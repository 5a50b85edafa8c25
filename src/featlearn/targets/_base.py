"""What a teacher is, and what it declares of itself."""

import abc
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import numpy as np
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.inputs import Inputs


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What a target knows of itself in closed form under one law of x; None where it does not.

    Everything stated here is checked against Monte Carlo by `featlearn.testing`.
    """

    mean: Any = None  # E f, a float or (k,)
    second_moment: Any = None  # E f², a float or (k,)
    linear: np.ndarray | None = None  # E ∇f, (d,) or (d, k)
    hessian: np.ndarray | None = None  # H = E ∇²f, (d, d)
    subspace: Any = None  # orthonormal basis of S*, (d, r)
    degree: int | None = None
    information_exponent: int | None = None  # lowest k ≥ 1 with a degree-k Hermite part
    leap: int | None = None  # in the coordinates that the columns of `subspace` give
    gaps: tuple[float, ...] | None = None  # α_ℓ, level by level
    levels: int | None = None  # how many levels `features` has
    base_complexity: float | None = None  # C(F), or C(f) of a target that has no G
    composite_complexity: float | None = None  # C(G)
    composed_complexity: float | None = None  # C(G∘F)

    @property
    def hessian_rank(self) -> int | None:
        """rank H, up to rounding."""
        if self.hessian is None:
            return None
        values = np.abs(np.linalg.eigvalsh(self.hessian))
        return int(np.sum(values > 1e-9 * max(values.max(initial=0.0), 1e-12)))

    @property
    def hessian_condition(self) -> float | None:
        """κ of H on its range: the largest over the smallest non-zero |eigenvalue|."""
        rank = self.hessian_rank
        if self.hessian is None or not rank:
            return None
        values = np.sort(np.abs(np.linalg.eigvalsh(self.hessian)))[::-1]
        return float(values[0] / values[rank - 1])


class Target(eqx.Module):
    """A teacher f*: R^d → R or R^k, a frozen pytree evaluated in the dtype of x.

    Directions and coefficients are leaves, so that teachers of one form stack in a fleet.
    """

    dim: eqx.AbstractVar[int]

    @abc.abstractmethod
    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]:
        """Noiseless labels."""

    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n k"]:
        """The hidden features S*_level(x); level 0 is x itself."""
        if level == 0:
            return x
        raise InvalidInputError(f"{type(self).__name__} has no hidden features at level {level}.")

    @abc.abstractmethod
    def facts(self, inputs: Inputs) -> Facts:
        """What is known in closed form when x has this law."""


class Analytic(Target):
    """A teacher that is a power series, and knows how hard it is: see `series`."""

    @abc.abstractmethod
    def complexity(self, radius: float = 1.0) -> float:
        """C(f) on |x| ≤ radius; refused where a series does not converge."""

    @abc.abstractmethod
    def reach(self, radius: float = 1.0) -> float:
        """Some R' ≥ |f(x)| for |x| ≤ radius."""

    @property
    @abc.abstractmethod
    def degree(self) -> int | None:
        """The highest degree of its terms, for a polynomial."""
