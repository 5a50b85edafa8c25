"""Float64 inside, the session's own float outside, and the global setting untouched."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.precision import double_inside, double_precision


def third(x: object) -> jax.Array:
    return jnp.asarray(x, jnp.float64) / 3


def test_without_help_a_32_bit_session_loses_digits() -> None:
    with jax.enable_x64(False):
        assert abs(float(jnp.asarray(1.0) / 3) - 1 / 3) > 1e-9


def test_double_precision_keeps_float64() -> None:
    with jax.enable_x64(False):
        result = double_precision(third)(1.0)
        assert result.dtype == jnp.float64
        assert not jax.config.jax_enable_x64
    assert float(result) == 1 / 3
    assert double_precision(third)(1.0).dtype == jnp.float64


def test_double_inside_hands_back_the_sessions_float() -> None:
    def pair(x: float) -> dict[str, object]:
        return {"value": third(x), "count": jnp.asarray(3, jnp.int32), "name": "n"}

    with jax.enable_x64(False):
        result = double_inside(pair)(1.0)
    assert result["value"].dtype == jnp.float32
    assert result["count"].dtype == jnp.int32
    assert result["name"] == "n"
    assert double_inside(pair)(1.0)["value"].dtype == jnp.float64


def test_double_inside_computes_in_double() -> None:
    """1e8 + 1 − 1e8 is 0 in float32."""

    def cancel(x: float) -> jax.Array:
        big = jnp.asarray(1e8, float)
        return (big + x) - big

    with jax.enable_x64(False):
        assert float(cancel(1.0)) == 0.0
        assert float(double_inside(cancel)(1.0)) == 1.0


def test_an_error_restores_the_setting() -> None:
    def fail() -> None:
        raise ValueError("inside")

    with jax.enable_x64(False):
        with pytest.raises(ValueError, match="inside"):
            double_precision(fail)()
        assert not jax.config.jax_enable_x64


def test_names_and_docstrings_are_kept() -> None:
    assert double_precision(third).__name__ == "third"
    assert double_inside(np.linalg.norm).__doc__ == np.linalg.norm.__doc__
