"""The kit for laws of x accepts true laws and rejects each broken promise."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.inputs import Gaussian, GaussianPart, Inputs
from featlearn.testing import check_inputs

KEY = jax.random.key(11)
D = 3


class Broken(Inputs):
    """N(0, I) with one promise broken."""

    fault: str = eqx.field(static=True)
    dim: int = eqx.field(static=True, default=D)

    def sample(self, key: Any, n: int, dtype: Any = jnp.float32) -> Any:
        fault = self.fault
        key = jax.random.key(0) if fault == "key" else key
        x = jax.random.normal(key, (n, self.dim), dtype)
        if fault == "shape":
            return x.T
        if fault == "dtype":
            return x.astype(jnp.float32)
        if fault == "default dtype":
            return x.astype(jnp.float64) if dtype == jnp.float32 else x
        if fault == "infinite":
            return x.at[0, 0].set(jnp.inf)
        if fault == "rows":
            return jnp.broadcast_to(x[:1], x.shape)
        if fault == "state":
            return x + np.random.default_rng().normal()
        if fault == "session":  # drawn in the session's float
            return jax.random.normal(key, x.shape).astype(dtype)
        if fault == "fourth moment":
            return jnp.sqrt(3.0).astype(dtype) * jax.random.uniform(key, x.shape, dtype, -1, 1)
        return x

    def mean(self) -> Any:
        return jnp.full(self.dim, 0.05 if self.fault == "mean" else 0.0)

    def covariance(self) -> Any:
        tilt = jnp.zeros((D, D)).at[0, 2].set(0.05)
        return jnp.eye(self.dim) + (tilt if self.fault == "covariance" else 0.0)

    @property
    def standard(self) -> bool:
        return self.fault == "fourth moment"

    def gaussian_parts(self) -> tuple[GaussianPart, ...]:
        weight = 0.9 if self.fault == "weights" else 1.0
        mean = jnp.full(self.dim, 0.1 if self.fault == "parts" else 0.0)
        return (GaussianPart(weight, mean, jnp.eye(self.dim)),)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("shape", r"shape \(3, 16\)"),
        ("dtype", "dtype float32 where float64"),
        ("default dtype", "dtype float64 where float32"),
        ("infinite", "infinite"),
        ("rows", "every row is the same"),
        ("key", "another key gives the same"),
        ("state", "the same key gives other"),
        ("session", "32-bit session"),
        ("mean", "^mean: declared 0.05"),
        ("covariance", r"^covariance: declared 0.05 at entry \(0, 2\)"),
        ("fourth moment", r"^standard, E⟨v, x⟩\^4"),
        ("weights", "weights sum to 0.9"),
        ("parts", r"^gaussian_parts, E⟨v, x⟩\^1"),
    ],
)
def test_a_broken_promise_is_rejected(fault: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_inputs(Broken(fault), key=KEY)


def test_true_laws_pass() -> None:
    check_inputs(Broken("none"), key=KEY)
    check_inputs(Gaussian(D, mean=jnp.ones(D)), key=KEY)


def test_a_law_that_cannot_be_compiled_is_rejected() -> None:
    class Python(Broken):
        def sample(self, key: Any, n: int, dtype: Any = jnp.float32) -> Any:
            x = super().sample(key, n, dtype)
            return x if float(x[0, 0]) > -100 else -x

    with pytest.raises(jax.errors.ConcretizationTypeError):
        check_inputs(Python("none"), key=KEY)
