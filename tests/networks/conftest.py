"""These programs run for milliseconds and compile for seconds."""

import jax
import pytest


@pytest.fixture(autouse=True, scope="module")
def _quick_compilation():
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)
