"""What every law of x promises."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from featlearn.inputs import Inputs
from featlearn.precision import double_precision
from featlearn.testing.bands import ROUNDING, check_average, check_equal, check_estimate, require

FEW = 16  # draws, where no average is taken


@double_precision
def check_inputs(law: Inputs, *, key: Key[Array, ""], n: int = 20_000) -> None:
    """Check a law: form and moments of its draws, its keys, and its behaviour under JAX.

    check_inputs(Gaussian(5, mean=jnp.ones(5)), key=jax.random.key(0))
    """
    _check_draws(law, key)
    _check_keys(law, key)
    _check_transformations(law, key)
    _check_sessions(law, key)
    x = np.asarray(law.sample(key, n), np.float64)
    _check_moments(law, x)
    _check_gaussian_parts(law, x)
    _check_norm(law, x)


def _check_draws(law: Inputs, key: Key[Array, ""]) -> None:
    for dtype in (jnp.float32, jnp.float64):
        x = law.sample(key, FEW, dtype)
        require(
            x.shape == (FEW, law.dim),
            f"sample: shape {x.shape} instead of (n, dim) = {(FEW, law.dim)}.",
        )
        require(x.dtype == dtype, f"sample: dtype {x.dtype} where {np.dtype(dtype)} was asked.")
        require(np.isfinite(x).all(), "sample: draws that are NaN or infinite.")
    default = law.sample(key, FEW).dtype
    require(default == jnp.float32, f"sample: dtype {default} by default instead of float32.")


def _check_keys(law: Inputs, key: Key[Array, ""]) -> None:
    x, again = (np.asarray(law.sample(key, FEW)) for _ in range(2))
    require(np.array_equal(x, again), "sample: the same key gives other numbers.")
    other = np.asarray(law.sample(jax.random.fold_in(key, 1), FEW))
    require(not np.array_equal(x, other), "sample: another key gives the same numbers.")
    require(len(np.unique(x, axis=0)) > 1, "sample: every row is the same.")


def _check_transformations(law: Inputs, key: Key[Array, ""]) -> None:
    """Compiled, as a fleet of two laws with a key each."""
    arrays, rest = eqx.partition(law, eqx.is_array)
    laws = jax.tree.map(lambda a: jnp.stack([a, a]), arrays)
    keys = jnp.stack([key, jax.random.fold_in(key, 1)])
    fleet = jax.jit(jax.vmap(lambda a, k: _draw(eqx.combine(a, rest), k)))(laws, keys)
    for draws, one in zip(fleet, keys, strict=True):
        name = "sample under jit and vmap"
        check_equal(name, draws, law.sample(one, FEW), tolerance=ROUNDING)


def _check_sessions(law: Inputs, key: Key[Array, ""]) -> None:
    """A 32-bit session draws the same numbers."""
    single = jax.tree.map(_as_single, law)
    with jax.enable_x64(False):
        narrow = np.asarray(_draw(single, key))
    name = "sample in a 32-bit session, against a 64-bit one"
    check_equal(name, narrow, law.sample(key, FEW), tolerance=ROUNDING)


def _draw(law: Inputs, key: Key[Array, ""]) -> Array:
    return law.sample(key, FEW)


def _as_single(leaf: Any) -> Any:
    wide = eqx.is_array(leaf) and leaf.dtype == jnp.float64
    return leaf.astype(jnp.float32) if wide else leaf


def _check_moments(law: Inputs, x: np.ndarray) -> None:
    check_average("mean", x, law.mean())
    centred = x - np.asarray(law.mean(), np.float64)
    # the standard error of each product, without the (n, d, d) array of products
    measured = centred.T @ centred / len(x)
    variance = (centred**2).T @ centred**2 / len(x) - measured**2
    stderr = np.sqrt(np.maximum(variance, 0.0) / len(x))
    slack = ROUNDING * np.mean(x**2)
    check_estimate("covariance", measured, stderr, law.covariance(), slack=slack)


def _check_norm(law: Inputs, x: np.ndarray) -> None:
    bound = law.largest_norm()
    if bound is None:
        return
    longest = np.linalg.norm(x, axis=1).max()
    require(
        longest <= float(bound) * (1 + ROUNDING),
        f"largest_norm: {float(bound):.6g} declared, and a draw has norm {longest:.6g}.",
    )


def _check_gaussian_parts(law: Inputs, x: np.ndarray) -> None:
    """Fourth moments of a few projections: first and second ones would not tell a Gaussian."""
    standard = [(1.0, np.zeros(law.dim), np.eye(law.dim))]
    parts = standard if law.standard else law.gaussian_parts()
    if not parts:
        return
    name = "standard" if law.standard else "gaussian_parts"
    weights = [float(weight) for weight, _, _ in parts]
    require(abs(sum(weights) - 1) < ROUNDING, f"{name}: the weights sum to {sum(weights):.6g}.")
    axes = np.random.default_rng(0).normal(size=(law.dim, 4))
    axes /= np.linalg.norm(axes, axis=0)
    for power, moment in ((1, _first), (2, _second), (4, _fourth)):
        expected = sum(w * moment(axes, *map(np.asarray, part)) for w, *part in parts)
        check_average(f"{name}, E⟨v, x⟩^{power}", (x @ axes) ** power, expected)


def _first(axes: np.ndarray, mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    return axes.T @ mean


def _second(axes: np.ndarray, mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    return _first(axes, mean, covariance) ** 2 + np.sum(axes * (covariance @ axes), axis=0)


def _fourth(axes: np.ndarray, mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    m, s = axes.T @ mean, np.sum(axes * (covariance @ axes), axis=0)
    return m**4 + 6 * m**2 * s + 3 * s**2
