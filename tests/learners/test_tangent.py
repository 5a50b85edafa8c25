"""The tangent model is the network's linearisation, and its solution is kernel ridge."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn import learners, memory
from featlearn.errors import InvalidInputError
from featlearn.kernels import empirical_ntk
from featlearn.learners import Tangent, tangent_model
from featlearn.samples import Sample


def network(params, x):
    hidden = jnp.tanh(x @ params["w"] + params["b"])
    return hidden @ params["a"]


def scalar(params, x):
    return network(params, x)[:, 0]


RNG = np.random.default_rng(0)
PARAMS = {
    "w": RNG.normal(size=(3, 6)),
    "b": RNG.normal(size=6),
    "a": RNG.normal(size=(6, 2)),
    "steps": 3,  # has no derivative
}
X, NEW = RNG.normal(size=(12, 3)), jnp.asarray(RNG.normal(size=(5, 3)))
Y = RNG.normal(size=(12, 2))
DELTA = {"w": RNG.normal(size=(3, 6)), "b": RNG.normal(size=6), "a": RNG.normal(size=(6, 2))}


def form(delta):
    """δ in the form of the model's parameters."""
    return {**delta, "steps": None}


def moved(params, delta, t):
    return {k: params[k] + t * delta[k] for k in delta}


def features(fn, x):
    """J(x) (n, k, P) by the brute-force Jacobian, leaves in the order of the tree."""
    leaves = jax.jacrev(fn)({k: PARAMS[k] for k in DELTA}, jnp.asarray(x))
    k = 1 if fn is scalar else 2
    return np.concatenate([np.asarray(leaves[n]).reshape(len(x), k, -1) for n in sorted(DELTA)], 2)


def test_starts_as_the_network():
    for fn in (network, scalar):
        model = tangent_model(fn, PARAMS)
        np.testing.assert_allclose(model(NEW), fn(PARAMS, NEW), rtol=1e-14)


def test_is_linear_and_tangent_to_the_network():
    model = tangent_model(network, PARAMS)

    def at(t):
        return np.asarray(model.at(form(jax.tree.map(lambda d: t * d, DELTA)))(NEW))

    np.testing.assert_allclose(at(2.0) - at(0.0), 2 * (at(1.0) - at(0.0)), rtol=1e-10)
    gaps = []
    for t in (1e-2, 1e-3):
        gaps.append(np.abs(network(moved(PARAMS, DELTA, t), NEW) - at(t)).max())
    assert gaps[0] / gaps[1] == pytest.approx(100, rel=0.1)  # of second order


@pytest.mark.parametrize(("fn", "y"), [(network, Y), (scalar, Y[:, 0])], ids=["two", "one"])
@pytest.mark.parametrize("penalty", [0.3, 1e-6])
def test_solution_is_ridge_on_the_gradients(fn, y, penalty):
    model = tangent_model(fn, PARAMS).solve(Sample(X, y), penalty=penalty)
    j = features(fn, X).reshape(y.size, -1)
    rest = (y - np.asarray(fn(PARAMS, jnp.asarray(X)))).ravel()
    n, p = len(X), j.shape[1]
    delta = np.linalg.solve(j.T @ j / n + penalty * np.eye(p), j.T @ rest / n)
    found = np.concatenate([np.ravel(model.delta[name]) for name in sorted(DELTA)])
    np.testing.assert_allclose(found, delta, atol=1e-6 * np.abs(delta).max())


def test_predictions_are_those_of_kernel_ridge():
    """f(θ_0, ·) + K(·, X) α; without the start, or on the labels themselves, they are others."""
    penalty = 0.2
    kernel = empirical_ntk(scalar, PARAMS)
    model = tangent_model(scalar, PARAMS).solve(Sample(X, Y[:, 0]), penalty=penalty)
    start, n = np.asarray(scalar(PARAMS, jnp.asarray(X))), len(X)
    system = np.asarray(kernel(jnp.asarray(X))) / n + penalty * np.eye(n)
    cross, found = np.asarray(kernel(NEW, jnp.asarray(X))), np.asarray(model(NEW))
    base = np.asarray(scalar(PARAMS, NEW))
    expected = cross @ np.linalg.solve(system, (Y[:, 0] - start) / n)
    np.testing.assert_allclose(found, base + expected, rtol=1e-9)
    on_labels = cross @ np.linalg.solve(system, Y[:, 0] / n)
    for wrong in (expected, on_labels, base + on_labels):
        assert np.abs(found - wrong).max() > 1e-2


def test_gradient_descent_reaches_the_solution():
    model, penalty = tangent_model(network, PARAMS), 0.5
    solved = model.solve(Sample(X, Y), penalty=penalty)

    def objective(delta):
        errors = jnp.sum((model.at(delta)(jnp.asarray(X)) - Y) ** 2, axis=1)
        return errors.mean() + penalty * sum(jnp.sum(d**2) for d in jax.tree.leaves(delta))

    def step(_, delta):
        return jax.tree.map(lambda d, g: d - 0.03 * g, delta, jax.grad(objective)(delta))

    trained = jax.jit(lambda d: jax.lax.fori_loop(0, 1500, step, d))(model.delta)
    np.testing.assert_allclose(model.at(trained)(NEW), solved(NEW), atol=1e-8)
    assert np.abs(np.asarray(model(NEW)) - solved(NEW)).max() > 1e-2


def test_without_a_penalty_the_labels_are_met():
    model = tangent_model(network, PARAMS).solve(Sample(X, Y))
    np.testing.assert_allclose(model(X), Y, atol=1e-6)


def test_the_start_is_a_constant():
    """Only `delta` has a gradient, so an optimiser over the whole pytree leaves θ_0 in place."""
    model = tangent_model(network, PARAMS).at(form(DELTA))
    slope = eqx.filter_grad(lambda m: jnp.sum(m(NEW) ** 2))(model)
    assert all(not np.any(leaf) for leaf in jax.tree.leaves(slope.kernel))
    assert all(np.any(leaf) for leaf in jax.tree.leaves(slope.delta))


def test_single_precision_is_single():
    model = tangent_model(network, PARAMS, dtype="float32")
    assert model(NEW).dtype == jnp.float32
    solved = model.solve(Sample(X, Y), penalty=0.1)
    exact = tangent_model(network, PARAMS).solve(Sample(X, Y), penalty=0.1)
    np.testing.assert_allclose(solved(NEW), exact(NEW), atol=1e-4)


def test_refuses_what_does_not_fit(monkeypatch):
    model = tangent_model(network, PARAMS)
    with pytest.raises(InvalidInputError, match="penalty"):
        model.solve(Sample(X, Y), penalty=-1.0)
    with pytest.raises(InvalidInputError, match="2 outputs"):
        model.solve(Sample(X, Y[:, 0]))
    with pytest.raises(InvalidInputError, match="NaN"):
        model.solve(Sample(X, np.where(np.arange(12)[:, None] == 2, np.nan, Y)))
    with pytest.raises(InvalidInputError, match="delta must have the form"):
        model.at({"w": DELTA["w"]})
    monkeypatch.setattr(memory, "device_bytes", lambda: 1000)
    with pytest.raises(InvalidInputError, match=r"12 samples .* train it"):
        model.solve(Sample(X, Y))


def draw(key, dim):
    one, two, three = jax.random.split(key, 3)
    return {
        "w": jax.random.normal(one, (dim, 6)),
        "b": jax.random.normal(two, (6,)),
        "a": jax.random.normal(three, (6, 2)),
    }


GRID = (1e-4, 1e-2, 1.0, 100.0)
LONG = RNG.normal(size=(20, 3)).astype(np.float32)
TAUGHT = network(PARAMS, LONG) + 0.3 * RNG.normal(size=(20, 2))


def test_the_learner_solves_at_the_best_penalty_on_validation():
    key = jax.random.key(1)
    sample = Sample(LONG, np.asarray(TAUGHT))
    fit = Tangent(network, draw, penalties=GRID).fit(sample, key=key)
    model = tangent_model(network, draw(key, 3))
    train, held = Sample(LONG[:16], TAUGHT[:16]), (LONG[16:], TAUGHT[16:])
    solved = {p: model.solve(train, penalty=p) for p in GRID}
    errors = np.array([2 * np.mean((solved[p](held[0]) - held[1]) ** 2) for p in GRID])
    np.testing.assert_allclose(fit.record["validation"], errors, rtol=1e-6)
    best = GRID[int(errors.argmin())]
    assert float(fit.record["penalty"]) == best
    np.testing.assert_allclose(fit(NEW), solved[best](NEW), rtol=1e-6)
    others = [np.asarray(solved[p](NEW)) for p in GRID if p != best]
    assert all(np.abs(np.asarray(fit(NEW)) - other).max() > 1e-3 for other in others)


def test_the_learner_refuses_what_it_cannot_fit(monkeypatch):
    sample = Sample(LONG, np.asarray(TAUGHT))
    with pytest.raises(InvalidInputError, match=r"column of y, of which there are 1, and gives 2"):
        Tangent(network, draw).fit(Sample(LONG, TAUGHT[:, 0]), key=jax.random.key(0))
    with pytest.raises(InvalidInputError, match="draw must be a function"):
        Tangent(network, 3)
    monkeypatch.setattr(memory, "device_bytes", lambda: 1000)
    with pytest.raises(InvalidInputError, match=r"20 samples .* KernelRidge"):
        Tangent(network, draw).fit(sample, key=jax.random.key(0))


def test_is_reached_from_the_learners():
    assert learners.tangent_model is tangent_model
