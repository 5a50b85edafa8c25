"""A network's tangent model: as it starts, and linear in how its parameters move from there.

    f_δ(x) = f(θ_0, x) + ⟨∇f(θ_0, x), δ⟩

Trained, it is the network in the lazy limit; solved, it is kernel ridge with the empirical NTK:

    δ(λ) = argmin  mean_i |y_i − f_δ(x_i)|² + λ|δ|² = J(X)ᵀ α
    α = (K/n + λI)⁻¹ (y − f(θ_0, X))/n,     K = J(X) J(X)ᵀ over points and outputs together

Gradient descent on the mean square from δ = 0 stays in the span of J(X)ᵀ, so its limit is δ(λ → 0).
"""

from collections.abc import Callable
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.kernels import EmpiricalNTK, empirical_ntk
from featlearn.kernels._shifted import shifted
from featlearn.memory import check_memory
from featlearn.precision import double_inside
from featlearn.samples import Sample, check_sample


def tangent_model(
    fn: Callable[[Any, Array], Array],
    params: Any,
    *,
    dtype: Literal["float64", "float32"] = "float64",
) -> "TangentModel":
    """The tangent model of `fn(params, x)` at `params`, with δ = 0.

        model = tangent_model(fn, params)
        model(x)                                         fn(params, x)
        jax.grad(lambda d: loss(model.at(d)(x)))(model.delta)
        model.solve(sample, penalty=1e-3)                the minimum, in one step

    `fn` and `params` are those of `featlearn.kernels.empirical_ntk`; `delta` has the form of the
    floating arrays of `params`.
    """
    kernel = empirical_ntk(fn, params, dtype=dtype)
    zero = jax.tree.map(lambda leaf: jnp.zeros_like(leaf, dtype), kernel.network.params)
    return TangentModel(kernel, zero)


class TangentModel(eqx.Module):
    """f(θ_0, x) + ⟨∇f(θ_0, x), δ⟩: a callable pytree, to be trained in `delta` alone.

    The start θ_0 is a constant: derivatives by it are 0.
    """

    kernel: EmpiricalNTK
    delta: Any

    def at(self, delta: Any) -> "TangentModel":
        """The same model with another δ."""
        form: Any = jax.tree.structure(self.delta)
        if form != jax.tree.structure(delta):
            raise InvalidInputError(
                f"delta must have the form {form} of the parameters, "
                f"got {jax.tree.structure(delta)}."
            )
        return TangentModel(self.kernel, delta)

    @double_inside
    def __call__(self, x: Float[Array, "n *d"]) -> Float[Array, "n *k"]:
        return _evaluate(self, self.kernel.points(x))

    def solve(self, sample: Sample, *, penalty: float = 0.0) -> "TangentModel":
        """δ(λ) by exact kernel ridge on every row of a sample, in float64.

        A λ below the rounding of K is solved as that rounding: 0 gives the least-norm δ that
        interpolates. The mean is over points; squares are summed over outputs.
        """
        if not 0 <= penalty < float("inf"):
            raise InvalidInputError(f"penalty must be finite and at least 0, got {penalty}.")
        check_sample(sample, least=1)
        outputs = 1 if sample.y.ndim == 1 else sample.y.shape[1]
        check_memory(
            4 * 8 * (sample.n * outputs) ** 2,
            f"The tangent model solved on {sample.n} samples with {outputs} outputs",
            "Take fewer samples, or train it by its gradient.",
        )
        return self.solve_arrays(sample, penalty)

    @double_inside
    def solve_arrays(self, sample: Sample, penalty: float | Float[Array, ""]) -> "TangentModel":
        """`solve` without checks: pure, and so fit for `jit` and `vmap`."""
        x = self.kernel.points(sample.x)
        start = self.kernel.network(x).astype(jnp.float64)
        y = jnp.asarray(sample.y, jnp.float64).reshape(x.shape[0], -1)
        if y.shape != start.shape:
            raise InvalidInputError(
                f"y must have a column for each of the network's {start.shape[1]} outputs, "
                f"got shape {sample.y.shape}."
            )
        n, k = y.shape
        gram = self.kernel.full(x).transpose(0, 2, 1, 3).reshape(n * k, n * k)
        alpha = _ridge(gram / n, (y - start).reshape(-1, 1) / n, jnp.full(1, penalty))
        moved = self.kernel.gradient_sum(x, alpha.reshape(n, k))
        return self.at(jax.tree.unflatten(jax.tree.structure(self.delta), moved))


@eqx.filter_jit
def _evaluate(model: TangentModel, x: Array) -> Array:
    network = jax.lax.stop_gradient(eqx.filter(model.kernel.network, eqx.is_array))
    network = eqx.combine(network, model.kernel.network)
    form = jax.eval_shape(network.as_written, x)
    everything = network.everything()
    direction = [leaf.astype(network.dtype) for leaf in jax.tree.leaves(model.delta)]
    out, along = jax.jvp(
        lambda parts: network.moved(everything, parts, x),
        (network.parts(everything),),
        (direction,),
    )
    return (out + along).reshape(form.shape)


@jax.jit
def _ridge(gram: Array, right: Array, penalty: Array) -> Float[Array, "nk 1"]:
    return shifted(gram).solve(right, penalty)[0]
