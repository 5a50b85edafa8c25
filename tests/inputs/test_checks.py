import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.inputs._checks import check_count, check_finite, check_shape, default_float, traced


def test_traced_values_pass_the_checks_of_values() -> None:
    def inside(x: jax.Array) -> jax.Array:
        assert traced({"a": [x]})
        check_finite("x", x)
        check_shape("x", x, (2,))
        return x

    assert not traced(jnp.ones(2), 1.0, None)
    assert np.isnan(jax.jit(inside)(jnp.array([jnp.nan, 1.0]))[0])
    with pytest.raises(InvalidInputError, match="x has values"):
        check_finite("x", jnp.array([jnp.nan, 1.0]))


def test_counts() -> None:
    assert check_count("n", np.int32(3)) == 3
    for bad in (0, -1, 1.0, "3", None, True):
        with pytest.raises(InvalidInputError, match=f"n must be .* got {bad}"):
            check_count("n", bad)
    with pytest.raises(InvalidInputError, match="at least 5, got 4"):
        check_count("n", 4, least=5)


def test_default_float_is_the_sessions() -> None:
    assert default_float(1).dtype == jnp.float64
    with jax.enable_x64(False):
        assert default_float(1).dtype == jnp.float32
