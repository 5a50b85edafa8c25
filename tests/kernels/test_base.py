"""What every kernel keeps: one list, every check."""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.kernels import NTK, RBF, Conjugate, Laplace, Polynomial, _row_blocks

KERNELS = [
    NTK(1),
    NTK(2, weight_variance=1.5, bias_variance=0.1),
    Conjugate(2, weight_variance=1.5, bias_variance=0.1),
    RBF(0.8),
    Laplace(0.8),
    Polynomial(3, 0.5),
]
every_kernel = pytest.mark.parametrize(
    "kernel", KERNELS, ids=lambda k: f"{type(k).__name__}{getattr(k, 'depth', '')}"
)


@every_kernel
def test_gram_is_symmetric_and_positive_semi_definite(kernel, points):
    x = jnp.concatenate([jnp.asarray(points[0]), jnp.asarray(points[0][:3]), jnp.zeros((1, 4))])
    gram = np.asarray(kernel(x))
    np.testing.assert_allclose(gram, gram.T, rtol=1e-13)
    eigenvalues = np.linalg.eigvalsh(gram)
    # Doubled points are singular: pairs of formulas give them 0 to the root of rounding.
    assert eigenvalues[0] > -1e-7 * eigenvalues[-1]


@every_kernel
def test_gram_of_distinct_points_is_positive_to_rounding(kernel, points):
    eigenvalues = np.linalg.eigvalsh(np.asarray(kernel(jnp.asarray(points[0]))))
    assert eigenvalues[0] > -1e-14 * eigenvalues[-1]


@every_kernel
def test_diagonal_is_that_of_the_gram_matrix(kernel, points):
    x = jnp.asarray(points[0])
    np.testing.assert_allclose(np.diag(kernel(x)), kernel.diagonal(x), rtol=1e-14)
    np.testing.assert_allclose(np.diag(kernel(x, x)), kernel.diagonal(x), rtol=1e-7)


@every_kernel
def test_gram_without_a_second_argument_is_that_with_it(kernel, points):
    x = jnp.asarray(points[0])
    np.testing.assert_allclose(kernel(x), kernel(x, x), rtol=1e-7)


@pytest.mark.parametrize("kernel", [KERNELS[1], KERNELS[4]], ids=["NTK", "Laplace"])
def test_blocks_of_rows_equal_the_whole(kernel, monkeypatch):
    """The block size is read when a program is compiled: these shapes occur nowhere else."""
    monkeypatch.setattr(_row_blocks, "BLOCK_ELEMENTS", 28)  # 4 rows of 7
    monkeypatch.setattr(_row_blocks, "TILE_SIDES", {"cpu": 4})
    rng = np.random.default_rng(2)
    x, y, c = (jnp.asarray(rng.normal(size=s)) for s in ((11, 5), (7, 5), (7, 2)))
    whole = kernel.between(x, y)
    np.testing.assert_allclose(kernel(x, y), whole, rtol=1e-12)
    np.testing.assert_allclose(kernel.product(x, y, c), whole @ c, rtol=1e-11)
    np.testing.assert_allclose(kernel(x), _with_diagonal(kernel, x), rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(kernel(x, y, dtype="float32"), whole, rtol=1e-5)
    gram = np.asarray(kernel(x))
    np.testing.assert_allclose(kernel(x, dtype="float32"), gram, rtol=1e-5)
    np.testing.assert_array_equal(gram, gram.T)


def _with_diagonal(kernel, x):
    gram = np.array(kernel.between(x, x))
    np.fill_diagonal(gram, kernel.at(x))
    return gram


@every_kernel
def test_product_is_the_gram_matrix_times_the_coefficients(kernel, points):
    x, y = (jnp.asarray(p) for p in points)
    c = np.random.default_rng(2).normal(size=(7, 3))
    np.testing.assert_allclose(kernel.product(x, y, c), kernel(x, y) @ c, rtol=1e-12)


@every_kernel
def test_gradients_are_finite_where_formulas_are_not(kernel):
    one = jnp.array([[0.3, -1.2, 0.5]])
    of_pair = jax.jit(jax.grad(lambda x, y: kernel(x, y)[0, 0], argnums=(0, 1)))
    of_diagonal = jax.jit(jax.grad(lambda x: kernel(x)[0, 0]))
    for x, y in ((one, one), (one, -one), (0 * one, one), (0 * one, 0 * one)):
        assert all(np.all(np.isfinite(g)) for g in (*of_pair(x, y), of_diagonal(x)))


@every_kernel
def test_gradients_equal_finite_differences(kernel):
    x = jnp.array([[0.3, -1.2, 0.5], [1.0, 0.4, -0.2]])
    y = jnp.array([[-0.7, 0.1, 0.9]])
    direction = jnp.array([[0.2, -0.5, 1.0], [0.0, 0.3, 0.1]])

    @jax.jit
    def value(t):
        return jnp.sum(kernel(x + t * direction, y) ** 2)

    step = 1e-5
    expected = (value(step) - value(-step)) / (2 * step)
    np.testing.assert_allclose(jax.grad(value)(0.0), expected, rtol=1e-7)


@every_kernel
@pytest.mark.parametrize("scale", [1e-4, 1e4])
def test_norms_from_small_to_large_keep_their_digits(kernel, points, scale):
    """The diagonal does not cancel; the whole stays within the bound of Cauchy and Schwarz."""
    x = scale * jnp.asarray(points[0])
    gram = np.asarray(kernel(x))
    assert np.all(np.isfinite(gram))
    root = np.sqrt(np.diag(gram))
    assert np.all(np.abs(gram) <= np.outer(root, root) * (1 + 1e-12))


@pytest.mark.parametrize("scale", [1e-4, 1e4])
@pytest.mark.parametrize("kernel", [NTK(2), Conjugate(2), Polynomial(2, 0.0)], ids=str)
def test_homogeneous_kernels_scale_exactly(kernel, points, scale):
    x, y = (jnp.asarray(p) for p in points)
    power = 2 * getattr(kernel, "degree", 1)
    expected = scale**power * kernel(x, y)
    np.testing.assert_allclose(kernel(scale * x, scale * y), expected, rtol=1e-9)


def hard_points(scale):
    """Random points, their opposites, points ever nearer to both, and the origin."""
    rng = np.random.default_rng(11)
    x, off = rng.normal(size=(2, 3, 4))
    near = [x + step * off for step in (1e-9, 1e-7, 1e-5, 1e-3, 1e-1)]
    return scale * np.concatenate([x, *near, -x, *(-v for v in near), 2 * x, np.zeros((1, 4))])


def float32_error(kernel, gram, exact, x):
    """The largest |K32 − K64| / √(K(x, x) K(y, y)); 0 where a point has K(x, x) = 0."""
    root = np.sqrt(np.maximum(kernel.diagonal(x), np.finfo(np.float64).tiny))
    return np.max(np.abs(np.asarray(gram, np.float64) - exact) / np.outer(root, root))


@every_kernel
@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_float32_is_float64_rounded(kernel, scale):
    x = jnp.asarray(hard_points(scale))
    for pair in ((x,), (x, x)):
        gram = kernel(*pair, dtype="float32")
        assert gram.dtype == jnp.float32
        assert float32_error(kernel, gram, kernel(*pair), x) < 1e-6


@pytest.mark.parametrize("form", [NTK, Conjugate])
def test_float32_of_other_activations_is_float64_rounded(form):
    x = jnp.asarray(hard_points(1.0))
    kernel = form(2, bias_variance=0.1, activation="erf")
    for pair in ((x,), (x, x)):
        exact = kernel(*pair)
        gram = kernel(*pair, dtype="float32")
        assert gram.dtype == jnp.float32
        assert float32_error(kernel, gram, exact, x) < 1e-5
        of_relu = form(2, bias_variance=0.1)(*pair, dtype="float32")
        assert float32_error(kernel, of_relu, exact, x) > 0.1


@pytest.mark.parametrize("kernel", KERNELS[:2], ids=["NTK1", "NTK2"])
def test_float32_formulas_alone_would_lose_half_their_digits(kernel):
    x = jnp.asarray(hard_points(1.0))
    single = kernel.between(*(x.astype(jnp.float32),) * 2)
    assert single.dtype == jnp.float32
    assert float32_error(kernel, single, kernel(x, x), x) > 1e-5


@pytest.mark.parametrize("kernel", KERNELS[:3], ids=lambda k: f"{type(k).__name__}{k.depth}")
def test_float32_gradients_are_finite_and_those_of_float64(kernel):
    one = jnp.array([[0.3, -1.2, 0.5]])

    @jax.jit
    def slopes(x, y):
        return [
            jax.grad(lambda x, t=t: kernel(x, y, dtype=t)[0, 0])(x) for t in ("float32", "float64")
        ]

    for x, y in ((one, one), (one, -one), (0 * one, one), (0 * one, 0 * one)):
        assert np.all(np.isfinite(slopes(x, y)))
    for y in (jnp.array([[1.0, 0.4, -0.2]]), one * jnp.array([1.0, 1.001, 1.0])):
        single, double = slopes(one, y)
        np.testing.assert_allclose(single, double, rtol=1e-4)


def test_a_stack_of_kernels_in_float32_is_each_of_them(points):
    x, biases = jnp.asarray(points[0]), jnp.array([0.0, 0.3])
    stacked = jax.vmap(lambda b: NTK(2, bias_variance=b)(x, dtype="float32"))(biases)
    for gram, bias in zip(stacked, (0.0, 0.3), strict=True):
        single = NTK(2, bias_variance=bias)(x, dtype="float32")
        np.testing.assert_allclose(gram, single, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["float16", "int32", 32, None, "x"])
def test_refuses_other_types(dtype):
    with pytest.raises(InvalidInputError, match='"float32" or "float64"'):
        RBF()(np.zeros((2, 3)), dtype=dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_memory_is_the_result_and_a_block(dtype):
    n = 2000
    kernel = NTK(2, bias_variance=0.1)
    x = jax.ShapeDtypeStruct((n, 3), jnp.float64)
    program = jax.jit(lambda x: kernel(x, dtype=dtype)).lower(x).compile().memory_analysis()
    assert program.output_size_in_bytes == n**2 * np.dtype(dtype).itemsize
    assert program.temp_size_in_bytes < 8 * 8 * _row_blocks.TILE_SIDES["cpu"] ** 2


@every_kernel
@pytest.mark.parametrize(
    ("x", "y"),
    [
        (np.zeros(4), None),
        (np.zeros((2, 3, 4)), None),
        (np.zeros((2, 4)), np.zeros(4)),
        ([[0.0, 1.0]], None),
        (np.zeros((2, 4)), np.zeros((2, 3))),
    ],
)
def test_refuses_what_are_no_points(kernel, x, y):
    with pytest.raises(InvalidInputError, match=r"shape \(n, d\)|one dimension"):
        kernel(x, y)


def test_product_refuses_coefficients_that_do_not_fit(points):
    x, y = (jnp.asarray(p) for p in points)
    for wrong in (np.zeros(7), np.zeros((9, 1))):
        with pytest.raises(InvalidInputError, match="coefficients"):
            RBF().product(x, y, wrong)


def test_one_program_serves_every_bandwidth(points):
    x = jnp.asarray(points[0])
    traces = []

    class Counted(RBF):
        def between(self, x, y):
            traces.append(1)
            return RBF.between(self, x, y)

    for bandwidth in (0.5, 1.0, 2):
        Counted(bandwidth)(x)
    assert len(traces) == 1


SINGLE = """
import jax, jax.numpy as jnp, numpy as np
from featlearn.kernels import *
rng = np.random.default_rng(0)
x, y = rng.normal(size=(6, 4)).astype(np.float32), rng.normal(size=(5, 4)).astype(np.float32)
kernels = [NTK(1, 2.0, 0.1), Laplace(0.8)]
c = rng.normal(size=(5, 2))
found = [(k(x), k.product(x, y, c)) for k in kernels]
slope = [jax.grad(lambda x: k(x, jnp.asarray(y)).sum())(jnp.asarray(x)) for k in kernels]
assert not jax.config.jax_enable_x64
with jax.enable_x64(True):
    exact = [(k(x), k.product(x, y, c)) for k in kernels]
    slopes = [jax.grad(lambda x: k(x, jnp.asarray(y)).sum())(jnp.asarray(x)) for k in kernels]
for ours, theirs in zip(jax.tree.leaves((found, slope)), jax.tree.leaves((exact, slopes))):
    assert ours.dtype == jnp.float32, ours.dtype
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)
assert exact[0][0].dtype == jnp.float64
asked = kernels[0](x, dtype="float32")
assert asked.dtype == jnp.float32
np.testing.assert_allclose(asked, found[0][0], rtol=1e-6)
"""


def test_a_32_bit_session_gets_float32_as_exact_as_it_can_be():
    run = subprocess.run(
        [sys.executable, "-c", SINGLE],
        env={**os.environ, "JAX_ENABLE_X64": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
