"""What a kernel is: a frozen config, called on two sets of points, giving their Gram matrix."""

import abc

import equinox as eqx
from jaxtyping import Array, Float


class Kernel(eqx.Module):
    """`kernel(x, y)` is the (n, m) Gram matrix; `kernel(x)` is K(x, x).

    Float fields are leaves of the pytree, so kernels of one form can be stacked and tuned as a
    fleet. Each kernel's docstring states its normalisation; K(x, x) is never assumed to be 1.
    """

    @abc.abstractmethod
    def __call__(
        self, x: Float[Array, "n d"], y: Float[Array, "m d"] | None = None
    ) -> Float[Array, "n m"]:
        """The Gram matrix between the rows of x and the rows of y."""

    @abc.abstractmethod
    def diagonal(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        """K(x_i, x_i) for each row."""
