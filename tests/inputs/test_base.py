"""What a law of x gets for free."""

from typing import Any

import jax.numpy as jnp
import pytest

from featlearn.inputs import Inputs


class Point(Inputs):
    dim: int = 1

    def sample(self, key: Any, n: int, dtype: Any = jnp.float32) -> Any:
        return jnp.zeros((n, 1), dtype)

    def mean(self) -> Any:
        return jnp.zeros(1)

    def covariance(self) -> Any:
        return jnp.zeros((1, 1))


def test_a_law_claims_nothing_unless_it_says_so() -> None:
    assert not Point().standard
    assert Point().gaussian_parts() == ()


def test_a_law_needs_its_moments() -> None:
    class Incomplete(Inputs):
        dim: int = 1

    with pytest.raises(TypeError, match="abstract"):
        Incomplete()  # type: ignore[abstract]
