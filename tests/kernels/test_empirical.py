"""The empirical NTK in every mode against differences and the brute-force Jacobian."""

from itertools import pairwise, product

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn import memory
from featlearn.errors import InvalidInputError
from featlearn.kernels import NTK, Kernel, empirical_ntk
from featlearn.learners import KernelRidge
from featlearn.samples import Sample
from featlearn.testing import tangent_kernel_by_differences

SIZES = (3, 5, 4, 2)
MODES = ("jacobian", "products")
LIMITS = ({}, {"rows": 2}, {"rows": 3, "parameters": 30})  # whole, tiles, two groups of leaves


def network(params, x):
    *hidden, last = params
    for layer in hidden:
        x = jnp.tanh(x @ layer["w"] + layer["b"])
    return x @ last["w"] + last["b"]


def scalar(params, x):
    return network(params, x)[:, 0]


def draw(seed, sizes=SIZES):
    rng = np.random.default_rng(seed)
    return [{"w": rng.normal(size=(a, b)), "b": rng.normal(size=b)} for a, b in pairwise(sizes)]


PARAMS = draw(0)
X, Y = (jnp.asarray(np.random.default_rng(s).normal(size=(n, 3))) for s, n in ((1, 7), (2, 5)))


def brute_force(fn, params, x, y):
    """All outputs of all points at once, by one reverse-mode Jacobian: K at [i, j, a, b]."""

    def matrix(points):
        found = jax.tree.leaves(jax.jit(jax.jacrev(fn))(params, points))
        k = int(np.prod(jax.eval_shape(fn, params, points).shape[1:], dtype=int))
        return jnp.concatenate([j.reshape(len(points), k, -1) for j in found], axis=-1)

    return np.asarray(jnp.einsum("iap,jbp->ijab", matrix(x), matrix(y)))


@pytest.fixture(scope="module")
def whole():
    return brute_force(network, PARAMS, X, Y)


@pytest.fixture(scope="module")
def same():
    return brute_force(network, PARAMS, X, X)


@pytest.fixture(scope="module")
def trace(whole):
    return np.einsum("ijaa->ij", whole)


def test_brute_force_agrees_with_differences(whole):
    slow = tangent_kernel_by_differences(network, PARAMS, X, Y)
    np.testing.assert_allclose(whole, slow, atol=1e-8 * np.abs(slow).max())


@pytest.mark.parametrize(("mode", "limits"), list(product(MODES, LIMITS)), ids=str)
def test_every_mode_equals_brute_force(mode, limits, whole, trace, same):
    kernel = empirical_ntk(network, PARAMS, mode=mode, **limits)
    size = np.abs(whole).max()
    np.testing.assert_allclose(kernel(X, Y), trace, atol=1e-12 * size)
    np.testing.assert_allclose(kernel.full(X), same, atol=1e-12 * size)
    if not limits:
        np.testing.assert_allclose(kernel.full(X, Y), whole, atol=1e-12 * size)
        np.testing.assert_allclose(kernel(X), np.einsum("ijaa->ij", same), atol=1e-12 * size)


def test_the_comparison_rejects_wrong_kernels(whole, trace):
    """The mean over outputs, the product of summed outputs, and outputs exchanged."""
    allowed = 1e-12 * np.abs(whole).max()
    wrong = (trace / 2, whole.sum((2, 3)), whole[:, :, 0, 0])
    assert all(np.abs(w - trace).max() > 1e6 * allowed for w in wrong)
    assert np.abs(whole.swapaxes(2, 3) - whole).max() > 1e6 * allowed


def test_scalar_outputs_with_or_without_a_column():
    expected = brute_force(scalar, PARAMS, X, Y)
    with_column = empirical_ntk(lambda p, x: scalar(p, x)[:, None], PARAMS)
    np.testing.assert_allclose(with_column(X, Y), expected[..., 0, 0], rtol=1e-11)
    np.testing.assert_allclose(empirical_ntk(scalar, PARAMS).full(X, Y), expected, rtol=1e-11)


def test_layers_sum_to_the_whole(trace):
    kernel = empirical_ntk(network, PARAMS)
    for depth, names in ((1, ["0", "1", "2"]), (None, ["0/b", "0/w", "1/b", "1/w", "2/b", "2/w"])):
        layers = kernel.layers(X, Y, depth=depth)
        assert list(layers) == names
        np.testing.assert_allclose(sum(layers.values()), trace, rtol=1e-11)


def test_a_layer_is_the_kernel_of_the_network_with_the_others_frozen():
    def of_second(layer, x):
        return network([PARAMS[0], layer, PARAMS[2]], x)

    alone = empirical_ntk(of_second, PARAMS[1])(X, Y)
    np.testing.assert_allclose(empirical_ntk(network, PARAMS).layers(X, Y)["1"], alone, rtol=1e-12)


@pytest.mark.parametrize("rows", [None, 2])
def test_products_are_those_of_the_matrix(rows, whole, trace):
    kernel = empirical_ntk(network, PARAMS, rows=rows)
    rng = np.random.default_rng(3)
    c, outputs = rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    np.testing.assert_allclose(kernel.product(X, Y, c), trace @ c, atol=1e-11)
    full = np.einsum("ijab,jb->ia", whole, outputs)
    np.testing.assert_allclose(kernel.full_product(X, Y, outputs), full, atol=1e-11)
    assert np.abs(full - trace @ outputs).max() > 1e-2


def test_is_symmetric_positive_semi_definite_and_agrees_with_its_diagonal():
    kernel = empirical_ntk(network, PARAMS, rows=3)
    gram = np.asarray(kernel(X))
    np.testing.assert_allclose(gram, gram.T, rtol=1e-13)
    assert np.linalg.eigvalsh(gram)[0] > -1e-13 * np.trace(gram)
    np.testing.assert_allclose(kernel.diagonal(X), np.diag(gram), rtol=1e-12)
    np.testing.assert_allclose(kernel.at(X), np.diag(kernel.between(X, X)), rtol=1e-12)


def test_points_of_any_shape_and_parameters_that_are_no_numbers():
    """Images through an equinox module, whose activation and padding are leaves too."""
    key = jax.random.key(0)
    model = eqx.nn.Conv2d(2, 3, 3, padding=1, key=key)
    x = jax.random.normal(key, (4, 2, 5, 5))

    def pooled(model, x):
        return jnp.mean(jax.nn.relu(jax.vmap(model)(x)), axis=(2, 3))

    kernel = empirical_ntk(pooled, model, rows=2)
    arrays, rest = eqx.partition(model, eqx.is_inexact_array)
    expected = brute_force(lambda p, x: pooled(eqx.combine(p, rest), x), arrays, x, x)
    np.testing.assert_allclose(kernel.full(x), expected, atol=1e-5 * np.abs(expected).max())


def test_points_may_be_whole_numbers():
    def embed(table, tokens):
        return jnp.tanh(table[tokens]).sum((1, 2))

    tokens = jnp.asarray([[0, 1], [1, 2], [3, 3]])
    table = np.random.default_rng(4).normal(size=(4, 3))
    expected = brute_force(embed, table, tokens, tokens)[..., 0, 0]
    np.testing.assert_allclose(empirical_ntk(embed, table)(tokens), expected, rtol=1e-12)


def test_single_precision_is_single():
    kernel = empirical_ntk(network, PARAMS, dtype="float32")
    double = np.asarray(empirical_ntk(network, PARAMS)(X, Y))
    assert kernel(X, Y).dtype == jnp.float32
    np.testing.assert_allclose(kernel(X, Y), double, atol=1e-5 * np.abs(double).max())


def test_a_result_in_single_precision_is_that_in_double_rounded(trace):
    kernel = empirical_ntk(network, PARAMS, rows=3)
    for pair, exact in (((X, Y), trace), ((X,), np.asarray(kernel(X)))):
        single = kernel(*pair, dtype="float32")
        assert single.dtype == jnp.float32
        np.testing.assert_array_equal(single, exact.astype(np.float32))
    with pytest.raises(InvalidInputError, match='"float32" or "float64"'):
        kernel(X, dtype="float16")


def test_is_a_kernel_that_ridge_can_use():
    kernel = empirical_ntk(scalar, PARAMS)
    assert isinstance(kernel, Kernel)
    x = jnp.asarray(np.random.default_rng(5).normal(size=(40, 3)))
    sample = Sample(x, x[:, 0] * x[:, 1])
    fit = KernelRidge(kernel, penalties=(1e-3, 1.0)).fit(sample, key=jax.random.key(0))
    train, n = x[:32].astype(jnp.float32), 32
    gram = brute_force(scalar, PARAMS, train.astype(jnp.float64), train)[..., 0, 0]
    alpha = np.linalg.solve(gram / n + fit.record["penalty"] * np.eye(n), sample.y[:32] / n)
    expected = brute_force(scalar, PARAMS, X, train.astype(jnp.float64))[..., 0, 0] @ alpha
    np.testing.assert_allclose(fit(X), expected, atol=1e-5)


def test_stacked_parameters_give_each_kernel_of_the_stack():
    params = [draw(seed) for seed in (0, 1)]
    stack = jax.tree.map(lambda *a: jnp.stack(a), *params)
    together = jax.vmap(lambda p: empirical_ntk(network, p)(X))(stack)
    for each, one in zip(together, params, strict=True):
        np.testing.assert_allclose(each, empirical_ntk(network, one)(X), rtol=1e-11)


def relu_network(params, x):
    """f of `NTK`, σ_w² = 2 and σ_b² = 0.1."""
    *hidden, last = params
    for w in hidden:
        x = jax.nn.relu(jnp.sqrt(2 / x.shape[1]) * x @ w["w"] + jnp.sqrt(0.1) * w["b"])
    return jnp.sqrt(2 / x.shape[1]) * x @ last["w"] + jnp.sqrt(0.1) * last["b"]


def random_grams(width, networks):
    """K(X, X) of random networks with one hidden layer."""
    form = jax.tree.map(jnp.asarray, draw(0, (3, width, 1)))
    leaves, tree = jax.tree.flatten(form)

    def one(key):
        keys = jax.random.split(key, len(leaves))
        drawn = [jax.random.normal(k, a.shape) for k, a in zip(keys, leaves, strict=True)]
        return empirical_ntk(relu_network, jax.tree.unflatten(tree, drawn))(X)

    keys = jax.random.split(jax.random.key(7), networks)
    return np.asarray(jax.jit(lambda keys: jax.lax.map(one, keys, batch_size=4))(keys))


def test_wide_networks_approach_the_closed_form_with_slope_one_half():
    """32 networks of each width: a root mean square of about normal errors is known to 1/√64 of
    it at worst, the slope over four octaves to 0.125·√2/(4 log 2) = 0.064; the band is 4 of it
    on the side of no convergence, where another bias must be rejected, and on the other."""
    widths = (16, 64, 256)
    grams = [random_grams(width, 32) for width in widths]

    def slope(bias):
        exact = np.asarray(NTK(1, weight_variance=2.0, bias_variance=bias)(X))
        errors = [np.sqrt(np.mean((g - exact) ** 2)) for g in grams]
        return np.polyfit(np.log(widths), np.log(errors), 1)[0]

    assert abs(slope(0.1) + 0.5) < 4 * 0.064
    assert abs(slope(0.5) + 0.5) > 4 * 0.064


def test_the_plan_bounds_what_the_compiler_takes():
    params = draw(0, (10, 60, 60, 1))
    x = jnp.asarray(np.random.default_rng(6).normal(size=(50, 10)))
    kernel = empirical_ntk(network, params)
    compiled = jax.jit(lambda x: kernel(x, x + 1)).lower(x).compile().memory_analysis()
    taken = compiled.temp_size_in_bytes + compiled.argument_size_in_bytes
    assert 0.9 * taken <= kernel.plan(x).bytes <= 6 * taken


def test_the_plan_follows_the_budget():
    params = draw(0, (10, 60, 60, 1))
    x = np.zeros((500, 10))
    budgets = (2**20, 2**22, 2**24)
    plans = [empirical_ntk(network, params, memory=b).plan(x) for b in budgets]
    assert plans[0].rows < plans[1].rows < plans[2].rows
    held = 3 * 8 * 500**2
    assert all(p.bytes - held <= b for p, b in zip(plans, budgets, strict=True))
    assert len(plans[0].groups) == 1
    one = tile_bytes_of_one_pair(params, x)
    tight = empirical_ntk(network, params, memory=one - 1).plan(x)
    assert (tight.rows, len(tight.groups)) == (1, 6)


def tile_bytes_of_one_pair(params, x):
    return empirical_ntk(network, params, rows=1).plan(x).bytes - 3 * 8 * len(x) ** 2


def test_what_cannot_fit_is_refused_before_it_starts(monkeypatch):
    with pytest.raises(InvalidInputError, match=r"One pair of points .* Raise memory"):
        empirical_ntk(network, PARAMS, memory=100)(X)
    monkeypatch.setattr(memory, "device_bytes", lambda: 2**20)
    kernel = empirical_ntk(network, PARAMS)
    with pytest.raises(InvalidInputError, match=r"300 × 300 points needs .* kernel.product"):
        kernel(np.zeros((300, 3)))
    kernel.product(np.zeros((300, 3)), np.zeros((300, 3)), np.ones((300, 1)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"fn": 3}, "function of"),
        ({"params": [1, 2]}, "no array of floating"),
        ({"params": [np.ones(2, complex)]}, "real"),
        ({"params": [np.array([1.0, np.nan])]}, "NaN"),
        ({"mode": "fast"}, "mode"),
        ({"dtype": "float16"}, "dtype"),
        ({"rows": 0}, "rows"),
        ({"memory": 1.5}, "memory"),
    ],
)
def test_refuses_what_is_no_network(change, said):
    given = {"fn": network, "params": PARAMS} | change
    with pytest.raises(InvalidInputError, match=said):
        empirical_ntk(given.pop("fn"), given.pop("params"), **given)


def test_refuses_points_outputs_and_coefficients_that_do_not_fit():
    kernel = empirical_ntk(network, PARAMS)
    for x, y in ((np.zeros((0, 3)), None), ([1.0], None), (X, np.zeros((2, 4)))):
        with pytest.raises((InvalidInputError, TypeError), match=r"point|shape|dot"):
            kernel(x, y)
    with pytest.raises(InvalidInputError, match=r"fn must return shape \(n,\)"):
        empirical_ntk(lambda p, x: network(p, x).sum(), PARAMS)(X)
    with pytest.raises(InvalidInputError, match="coefficients"):
        kernel.product(X, Y, np.zeros(5))
    with pytest.raises(InvalidInputError, match=r"coefficients must have shape \(5, 2\)"):
        kernel.full_product(X, Y, np.zeros((5, 3)))
    with pytest.raises(InvalidInputError, match="depth"):
        kernel.layers(X, depth=0)
