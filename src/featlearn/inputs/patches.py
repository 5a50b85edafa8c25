"""x made of patches x^(1), …, x^(P), independent draws of one law."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.inputs._base import GaussianPart, Inputs
from featlearn.inputs._checks import check_count
from featlearn.inputs.gaussian import Gaussian


class Patches(Inputs):
    """`count` independent patches of the law `patch`, one after another in x.

    Patches(Hypercube(4), count=6)     x uniform on {−1, 1}^24
    """

    patch: Inputs
    count: int = eqx.field(static=True)

    def __init__(self, patch: Inputs, count: int) -> None:
        if not isinstance(patch, Inputs):
            raise InvalidInputError(
                f"patch must be a law of x, such as Hypercube(4), got {patch!r}."
            )
        self.patch, self.count = patch, check_count("count", count)

    @property  # type: ignore[misc]
    def dim(self) -> int:  # type: ignore[override]
        return self.patch.dim * self.count

    def sample(self, key: Key[Array, ""], n: int, dtype: Any = jnp.float32) -> Float[Array, "n d"]:
        return self.patch.sample(key, n * self.count, dtype).reshape(n, self.dim)

    def mean(self) -> Float[Array, "d"]:
        return jnp.tile(self.patch.mean(), self.count)

    def covariance(self) -> Float[Array, "d d"]:
        one = self.patch.covariance()
        return jnp.kron(jnp.eye(self.count, dtype=one.dtype), one)

    @property
    def standard(self) -> bool:
        return self.patch.standard

    def gaussian_parts(self) -> tuple[GaussianPart, ...]:
        """A Gaussian if the patches are; the parts of a mixture would multiply."""
        if not isinstance(self.patch, Gaussian):
            return ()
        return (GaussianPart(1.0, self.mean(), self.covariance()),)

    def largest_norm(self) -> Any:
        one = self.patch.largest_norm()
        return None if one is None else one * self.count**0.5
