"""A network's tangent model: as it starts, and linear in how its parameters move from there.

    f_δ(x) = f(θ_0, x) + ⟨∇f(θ_0, x), δ⟩

Trained, it is the network in the lazy limit; solved, it is kernel ridge with the empirical NTK:

    δ(λ) = argmin  mean_i |y_i − f_δ(x_i)|² + λ|δ|² = J(X)ᵀ α
    α = (K/n + λI)⁻¹ (y − f(θ_0, X))/n,     K = J(X) J(X)ᵀ over points and outputs together

Gradient descent on the mean square from δ = 0 stays in the span of J(X)ᵀ, so its limit is δ(λ → 0).

`Tangent` is the learner: it draws θ_0, takes one decomposition of K for every λ, and chooses λ on
validation rows.
"""

from collections.abc import Callable
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.kernels import PENALTIES, EmpiricalNTK, RidgePath, empirical_ntk, ridge_dual
from featlearn.kernels._shifted import shifted
from featlearn.learners._fitting import check_level, fit_checked, like_inputs
from featlearn.learners._head import check_penalties
from featlearn.learners._split import Split, split_rows
from featlearn.memory import check_memory
from featlearn.precision import double_inside, narrowed
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
    zero = jax.tree.map(lambda leaf: jnp.zeros_like(leaf, narrowed(dtype)), kernel.network.params)
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
        _check_gram(sample, "train it by its gradient.")
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
        gram = _flat(self.kernel.full(x))
        alpha = _ridge(gram / n, (y - start).reshape(-1, 1) / n, jnp.full(1, penalty))
        return self.at(self.pulled(x, alpha.reshape(n, k)))

    def pulled(self, x: Float[Array, "n *d"], alpha: Float[Array, "n k"]) -> Any:
        """J(x)ᵀα, in the form of `delta`."""
        moved = self.kernel.gradient_sum(x, alpha)
        return jax.tree.unflatten(jax.tree.structure(self.delta), moved)


class TangentFit(eqx.Module):
    """f(θ_0, x) + ⟨∇f(θ_0, x), δ(λ)⟩ at the λ chosen."""

    model: TangentModel
    points: Float[Array, "n d"]
    record: dict[str, Any]
    flat: bool = eqx.field(static=True)  # labels had shape (n,)

    @double_inside
    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]:
        out = self.model(like_inputs(x, self.points.shape[1], jnp.float64))
        return out.reshape(x.shape[0]) if self.flat else out.reshape(x.shape[0], -1)

    @double_inside
    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n m"]:
        """K(x, x_i) for each training point; level 0 is x itself."""
        check_level(level)
        x = like_inputs(x, self.points.shape[1], jnp.float64)
        return self.model.kernel(x, self.points) if level else x


class Tangent(eqx.Module):
    """Ridge on the tangent features of a network as it is drawn: its lazy limit, λ by validation.

        Tangent(fn, draw).fit(sample, key=key)

    fn           (params, x) -> (n,) or (n, k), as for `tangent_model`
    draw         (key, d) -> params, the parameters θ_0 for points of d numbers
    penalties    candidates for λ, one decomposition for all of them
    """

    fn: Callable[[Any, Array], Array] = eqx.field(static=True)
    draw: Callable[[Key[Array, ""], int], Any] = eqx.field(static=True)
    penalties: tuple[float, ...] = eqx.field(
        static=True, default=PENALTIES, converter=check_penalties, kw_only=True
    )

    def __check_init__(self) -> None:
        for name in ("fn", "draw"):
            if not callable(getattr(self, name)):
                raise InvalidInputError(f"{name} must be a function, got {getattr(self, name)!r}.")

    def fit(self, sample: Sample, *, key: Key[Array, ""]) -> TangentFit:
        """Fit on a sample; the last fifth of its rows chooses λ. `key` draws θ_0."""
        check_sample(sample)
        _check_gram(sample, "KernelRidge on a closed-form NTK.")
        fitted: TangentFit = fit_checked(self, sample, key)
        return fitted

    def fit_arrays(self, sample: Sample, key: Key[Array, ""]) -> TangentFit:
        """`fit` without checks: pure, and so fit for `jit` and `vmap`."""
        split = Split(*(rows._replace(x=rows.x.astype(jnp.float64)) for rows in split_rows(sample)))
        model = tangent_model(self.fn, self.draw(key, sample.dim))
        path = self._path(model, split)
        k = split.train.y.shape[1]
        delta = model.pulled(split.train.x, k * path.coefficients.reshape(-1, k))
        record = path.record() | {"validation": k * path.validation}  # summed over outputs
        return TangentFit(model.at(delta), split.train.x, record, flat=sample.y.ndim == 1)

    def _path(self, model: TangentModel, split: Split) -> RidgePath:
        """Rows are points and outputs together. K times k: the mean of squares is over points."""
        train, k = split.train, split.train.y.shape[1]
        rest = [rows.y - _start(model, rows.x, k) for rows in split]
        own, cross = (k * _flat(model.kernel.full(rows.x, train.x)) for rows in split)
        weights = [jnp.repeat(rows.weight, k) for rows in split]
        columns = (part.reshape(-1, 1) for part in rest)
        return ridge_dual(own, next(columns), cross, next(columns), self.penalties, *weights)


def _start(model: TangentModel, x: Float[Array, "n d"], outputs: int) -> Float[Array, "n k"]:
    start = model.kernel.network(x).astype(jnp.float64)
    if start.shape[1] != outputs:
        raise InvalidInputError(
            f"fn must give an output for each column of y, of which there are {outputs}, "
            f"and gives {start.shape[1]}."
        )
    return start


def _flat(gram: Float[Array, "n m k k"]) -> Float[Array, "nk mk"]:
    n, m, k = gram.shape[:3]
    return gram.transpose(0, 2, 1, 3).reshape(n * k, m * k)


def _check_gram(sample: Sample, instead: str) -> None:
    outputs = 1 if sample.y.ndim == 1 else sample.y.shape[1]
    check_memory(
        4 * 8 * (sample.n * outputs) ** 2,
        f"The tangent model solved on {sample.n} samples with {outputs} outputs",
        f"Take fewer samples, or {instead}",
    )


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
