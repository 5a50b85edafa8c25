"""What every teacher promises: that each fact it declares is true."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.inputs import Inputs
from featlearn.precision import double_precision
from featlearn.targets import Facts, Target
from featlearn.testing._complexities import check_complexities
from featlearn.testing._exponents import check_information_exponent, check_leap
from featlearn.testing._geometry import check_degree, check_subspace
from featlearn.testing._moments import check_moments
from featlearn.testing.bands import check_equal, require

FEW = 16  # points, where no average is taken
ROUNDING = 1e-9  # of float64, at which the target is evaluated


@double_precision
def check_target(target: Target, inputs: Inputs, *, key: Key[Array, ""], n: int = 20_000) -> None:
    """Check every fact of `target.facts(inputs)`, and that the target is a pure function of rows.

    Moments are compared with n draws of `inputs` in bands of 4 standard errors; degree and
    subspace hold exactly; exponents are read off one-dimensional Hermite expansions; complexities
    bound what the target does along rays. Facts that are None are not checked.

        check_target(single_index({2: 1.0}, 5, key=key), Gaussian(5), key=key)
    """
    key_x, key_move = jax.random.split(key)
    x = inputs.sample(key_x, n).astype(jnp.float64)
    w = jax.random.normal(key_move, x.shape, jnp.float64)
    _check_function(target, x[:FEW])
    facts = target.facts(inputs)
    _check_features(target, facts, x[:FEW])
    _check_gaps(facts)
    check_moments(target, facts, x)
    check_degree(target, facts, x, w)
    check_subspace(target, facts, x, w)
    check_information_exponent(target, facts, inputs, x, w)
    check_leap(target, facts)
    check_complexities(target, facts, inputs, x)


def _check_function(target: Target, x: Float[Array, "n d"]) -> None:
    y = target(x)
    require(y.ndim in (1, 2) and len(y) == len(x), f"values: shape {y.shape} for x {x.shape}.")
    require(jnp.isfinite(y).all(), "values: NaN or infinite.")
    for dtype in (jnp.float32, jnp.float64):
        got = target(x.astype(dtype)).dtype
        require(got == dtype, f"values: dtype {got} where x has {np.dtype(dtype)}.")
    check_equal("values of a second call", target(x), y, tolerance=0.0)
    rows = _row_by_row(target, x)
    check_equal("values row by row under jit and vmap", rows, y, tolerance=ROUNDING)


@eqx.filter_jit
def _row_by_row(target: Target, x: Float[Array, "n d"]) -> Float[Array, "n *k"]:
    return jax.vmap(lambda row: target(row[None])[0])(x)


def _check_features(target: Target, facts: Facts, x: Float[Array, "n d"]) -> None:
    check_equal("features at level 0", target.features(x, level=0), x, tolerance=0.0)
    levels = facts.levels
    if levels is None:
        return
    for level in range(1, levels + 1):
        require(
            not _refuses(target, x, level),
            f"levels: {levels} declared, and features refuses level {level}.",
        )
        s = target.features(x, level=level)
        require(
            s.ndim == 2 and len(s) == len(x),
            f"features at level {level}: shape {s.shape} for x {x.shape}.",
        )
        require(jnp.isfinite(s).all(), f"features at level {level}: NaN or infinite.")
    require(
        _refuses(target, x, levels + 1),
        f"levels: {levels} declared, and features gives level {levels + 1} too.",
    )


def _refuses(target: Target, x: Float[Array, "n d"], level: int) -> bool:
    try:
        target.features(x, level=level)
    except InvalidInputError:
        return True
    return False


def _check_gaps(facts: Facts) -> None:
    if facts.gaps is None:
        return
    gaps = np.asarray(facts.gaps, np.float64)
    require(
        gaps.ndim == 1 and np.isfinite(gaps).all() and (gaps > 0).all(),
        f"gaps: {facts.gaps} are not positive numbers, one for each level.",
    )
    require(
        facts.levels is None or len(gaps) <= facts.levels,
        f"gaps: {len(gaps)} of them for {facts.levels} levels.",
    )
