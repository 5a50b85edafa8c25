"""K(x, x)c by tiles against the whole Gram matrix."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.kernels import NTK, RBF, Laplace, _tiles
from featlearn.kernels._tiles import symmetric_product, tile_rows
from featlearn.memory import member_bytes

KERNELS = [RBF(0.8), Laplace(0.8), NTK(2, bias_variance=0.3)]


@pytest.fixture
def narrow(monkeypatch):
    monkeypatch.setattr(_tiles, "ROWS_CPU", 8)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: type(k).__name__)
@pytest.mark.parametrize("n", [5, 8, 29])
def test_equals_the_gram_matrix_times_the_columns(narrow, kernel, n):
    rng = np.random.default_rng(n)
    x, c = jnp.asarray(rng.normal(size=(n, 3))), jnp.asarray(rng.normal(size=(n, 2)))
    c = c * jnp.array([1e-30, 1e30])
    x = x.at[-1].set(x[0])
    whole = kernel(x) @ c
    double = jax.jit(symmetric_product)(kernel, x, c)
    np.testing.assert_allclose(double / whole, 1, atol=1e-6)  # the pair of equal points
    single = jax.jit(symmetric_product, static_argnums=3)(kernel, x, c, jnp.float32)
    assert single.dtype == jnp.float64
    assert 1e-10 < np.abs(single - whole).max() / np.abs(whole).max() < 1e-3
    error = np.linalg.norm(single - whole, axis=0) / np.linalg.norm(whole, axis=0)
    assert error.max() < (1e-3 if isinstance(kernel, Laplace) else 1e-5)


def test_tiles_pad_little(narrow):
    for n in range(1, 60):
        size = tile_rows(n)
        assert size <= 8
        assert -(-n // size) * size - n < max(n // 4, 8)


def test_memory_does_not_follow_the_square_of_n(monkeypatch):
    monkeypatch.setattr(_tiles, "ROWS_CPU", 64)

    def needed(n):
        x, c = jnp.zeros((n, 3)), jnp.zeros((n, 2))
        return member_bytes(lambda x, c: symmetric_product(RBF(1.0), x, c), x, c)

    assert needed(12_800) < 14_000_000
    assert needed(12_800) / needed(6_400) < 5  # the list of pairs grows with its square, slowly
