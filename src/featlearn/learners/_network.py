"""A fitted network with one hidden layer: α + β·x + aᵀσ(Wx + b), σ = ReLU."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.learners._fitting import as_arrays, check_level, like_inputs
from featlearn.learners._head import HeadRule
from featlearn.learners._spectrum import found_rank, strongest
from featlearn.learners._split import split_rows
from featlearn.precision import double_inside, double_precision
from featlearn.samples import Sample, check_sample


class NetworkFit(eqx.Module):
    """α + β·x + aᵀσ(Wx + b); `record` says how it came about."""

    constant: Float[Array, "k"]
    linear: Float[Array, "d k"]
    weight: Float[Array, "m d"]
    bias: Float[Array, "m"]
    head: Float[Array, "m k"]
    record: dict[str, Any]
    rule: HeadRule
    flat: bool = eqx.field(static=True)  # labels had shape (n,)

    @double_inside
    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]:
        x = like_inputs(x, self.weight.shape[1], self.weight.dtype)
        hidden = hidden_layer(x, self.weight, self.bias).astype(self.head.dtype)
        out = self.constant + x.astype(self.head.dtype) @ self.linear + hidden @ self.head
        return out[:, 0] if self.flat else out

    @double_inside
    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n m"]:
        """The hidden layer σ(Wx + b); level 0 is x itself."""
        check_level(level)
        x = like_inputs(x, self.weight.shape[1], self.weight.dtype)
        return hidden_layer(x, self.weight, self.bias) if level else x

    def transfer(self, sample: Sample, *, key: Key[Array, ""]) -> "NetworkFit":
        """The same features with a new head aᵀσ(Wx + b), fitted on `sample` alone.

        The constant and linear parts are not carried over nor fitted apart: estimating β from N
        samples costs d/N in variance, and the new head needs no d.
        """
        check_sample(sample)
        return _transfer(self, as_arrays(sample), key)

    def transfer_arrays(self, sample: Sample, key: Key[Array, ""]) -> "NetworkFit":
        """`transfer` without checks: pure, for a fleet. Ridge draws nothing: `key` is not used."""
        split = split_rows(sample)
        k = split.train.y.shape[1]

        def hidden(x: Array) -> Array:
            return hidden_layer(x, self.weight, self.bias)

        head, record = self.rule.fit(hidden, split, jnp.ones((self.bias.size, k)))
        return NetworkFit(
            constant=jnp.zeros(k, jnp.float64),
            linear=jnp.zeros((sample.dim, k), jnp.float64),
            weight=self.weight,
            bias=self.bias,
            head=head,
            record=record,
            rule=self.rule,
            flat=sample.y.ndim == 1,
        )

    def directions(self, rank: int | None = None) -> Float[Array, "d r"]:
        """An orthonormal basis of the subspace that the neurons span most, strongest first.

        Its dimension is `rank`, or as estimated from the spectrum: see `found_rank`.
        """
        return strongest(self.weight, found_rank(self.record) if rank is None else rank)


@double_inside
def hidden_layer(
    x: Float[Array, "n d"], weight: Float[Array, "m d"], bias: Float[Array, "m"]
) -> Float[Array, "n m"]:
    """σ(Wx + b); a GPU's default precision for float32 would leave three digits of it."""
    return jax.nn.relu(jnp.matmul(x, weight.T, precision="highest") + bias)


@double_precision
@eqx.filter_jit
def _transfer(fitted: NetworkFit, sample: Sample, key: Key[Array, ""]) -> NetworkFit:
    return fitted.transfer_arrays(sample, key)
