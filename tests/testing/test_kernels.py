"""The kit for kernels rejects each broken promise."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import pytest

from featlearn.kernels import Kernel
from featlearn.testing import check_kernel


class Broken(Kernel):
    """1 + ⟨x, y⟩²/d² with one promise broken."""

    fault: str = eqx.field(static=True)

    def between(self, x: Any, y: Any) -> Any:
        fault = self.fault
        t = x @ y.T / x.shape[1]
        gram = 1 + t**2
        far = jnp.sum(x**2, axis=1)[:, None] + jnp.sum(y**2, axis=1)
        if fault == "asymmetric":
            return gram + 1e-9 * far * x[:, :1]
        if fault == "indefinite":
            roots = [jnp.linalg.norm(z, axis=1) + 1e-300 for z in (x, y)]
            return 2 * (x @ y.T / jnp.outer(*roots)) ** 2 - 1
        if fault == "larger than its diagonal":
            return gram * (1 + 1e-9 * (t < 0))
        if fault == "not finite":
            return gram / (far > 1e-6)
        if fault == "batch":
            return gram + jnp.mean(y) ** 2 * 1e-6
        if fault == "gradient":
            return gram + 0 * jnp.sqrt(jnp.maximum(far - 2 * t * x.shape[1], 0.0))
        return gram

    def at(self, x: Any) -> Any:
        square = jnp.sum(x**2, axis=1) / x.shape[1]
        off = 1 + 1e-6 if self.fault == "diagonal" else 1.0
        return jnp.ones_like(square) if self.fault == "indefinite" else 1 + off * square**2


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("asymmetric", "not symmetric|a block alone|transpose"),
        ("indefinite", "an eigenvalue is -"),
        ("larger than its diagonal", r"\|K\(x, y\)\| is 1.000000001|diagonal"),
        ("not finite", "gram: not finite"),
        ("diagonal", r"diagonal, against pairs|\|K\(x, y\)\| is 1.0000"),
        ("batch", r"\|K\(x, y\)\| is 1.00|diagonal|not symmetric|a block alone"),
        ("gradient", "gradient: not finite at"),
    ],
)
def test_a_broken_promise_is_rejected(fault: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_kernel(Broken(fault))


def test_a_true_kernel_passes_and_a_wrong_power_does_not() -> None:
    check_kernel(Broken("none"))
    with pytest.raises(AssertionError, match="homogeneity of power 4"):
        check_kernel(Broken("none"), homogeneity=4)
