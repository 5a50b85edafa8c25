"""One gradient step against Algorithm 1 written out in NumPy, and what each option does."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.fleet import fit_many
from featlearn.learners import OneStep, _rows
from featlearn.learners._split import split_rows
from featlearn.memory import member_bytes
from featlearn.samples import Sample


class Reference(NamedTuple):
    weight: np.ndarray
    head: np.ndarray
    predictions: np.ndarray
    penalty: float


def literal_gradient(w, a, b, x, y):
    """∇_W of the mean squared error of all neurons, by automatic differentiation in float64."""

    def loss(w):
        out = jax.nn.relu(x @ w.T + b) @ a
        return jnp.mean(jnp.sum((out - y) ** 2, axis=1))

    return np.asarray(jax.grad(loss)(jnp.asarray(w)))


def relu(z):
    return np.maximum(z, 0)


def algorithm(learner, sample, key, ridge, wrong=None):
    """Algorithm 1 in float64, on the learner's own draws; `wrong` names a mistake to make."""
    x, y = np.asarray(sample.x, np.float64), np.asarray(sample.y, np.float64)
    y = y.reshape(len(x), -1)
    n = len(x) - len(x) // 5
    key_start, key_bias, _ = jax.random.split(key, 3)
    w, a, b = (np.asarray(v, np.float64) for v in draws(learner, key_start, x, y))
    alpha, beta = np.zeros(y.shape[1]), np.zeros((x.shape[1], y.shape[1]))
    if learner.preprocess:
        seen = slice(None) if wrong == "validation labels" else slice(n)
        alpha, beta = y[seen].mean(0), x[seen].T @ y[seen] / len(y[seen])
    rest = y - alpha - x @ beta
    gradient = literal_gradient(w, a, b, x[:n], rest[:n])
    eta = learner.step / np.sqrt(np.mean(np.sum(gradient**2, axis=1)))
    decay = 0 if wrong == "start kept" else w / eta
    w = w - eta * (gradient + decay)
    if wrong == "each neuron normalised":
        w = w / np.linalg.norm(w, axis=1, keepdims=True)
    if learner.bias == "redraw":
        b = np.asarray(jax.random.normal(key_bias, b.shape, jnp.float32), np.float64)
    h = relu(x @ w.T + b)
    path = ridge(h, rest, learner.penalties)
    head = path.heads[path.best]
    return Reference(w, head, alpha + x @ beta + h @ head, learner.penalties[path.best])


def draws(learner, key_start, x, y):
    return learner._start(key_start, x.shape[1], y.shape[1])


def distance(got, wanted):
    got, wanted = np.asarray(got), np.asarray(wanted)
    return np.abs(got.reshape(wanted.shape) - wanted).max() / np.abs(wanted).max()


def distances(fit, x, reference):
    return np.array(
        [
            distance(fit.weight, reference.weight),
            distance(fit.head, reference.head),
            distance(fit(x), reference.predictions),
        ]
    )


FLOAT32 = np.array([1e-5, 1e-3, 1e-4])  # of weights, head and predictions


def test_equals_algorithm_1(learner, fitted, easy, key, ridge):
    reference = algorithm(learner, easy.sample, key, ridge)
    assert (distances(fitted, easy.sample.x, reference) < FLOAT32).all()
    np.testing.assert_allclose(fitted.record["penalty"], reference.penalty)


@pytest.mark.parametrize("wrong", ["validation labels", "start kept", "each neuron normalised"])
def test_the_check_rejects_mistakes(wrong, learner, fitted, easy, key, ridge):
    reference = algorithm(learner, easy.sample, key, ridge, wrong)
    assert (distances(fitted, easy.sample.x, reference) > 10 * FLOAT32).all()


@pytest.mark.parametrize(
    "options",
    [{"symmetric": False, "bias": "keep"}, {"bias": "keep", "step": 2.0}, {"preprocess": False}],
    ids=["independent neurons", "kept bias", "no preprocessing, two outputs"],
)
def test_equals_algorithm_1_with(options, learner, easy, key, ridge):
    sample = easy.sample
    if "preprocess" in options:
        sample = Sample(sample.x, np.stack([sample.y, np.cos(2 * sample.x[:, 0])], axis=1))
    other = OneStep(32, penalties=learner.penalties, estimate_rank=False, **options)
    fit = other.fit(sample, key=key)
    reference = algorithm(other, sample, key, ridge)
    assert (distances(fit, sample.x, reference) < FLOAT32).all()
    kept = np.asarray(draws(other, jax.random.split(key, 3)[0], sample.x, reference.head).b)
    assert np.array_equal(fit.bias, kept) == (other.bias == "keep")
    assert np.any(fit.linear) == other.preprocess


def test_the_symmetric_start_is_zero_exactly():
    start = OneStep(2000)._start(jax.random.key(0), 30, 2)
    half = 1000
    assert np.array_equal(start.w[:half], start.w[half:])
    assert np.array_equal(start.a[:half], -start.a[half:])
    assert not start.b.any()
    assert set(np.unique(start.a)) == {-1.0, 1.0}
    assert abs(float(start.a[:half].mean())) < 4 / np.sqrt(2 * half)
    squares = np.asarray(start.w[:half] ** 2) * 30
    assert abs(squares.mean() - 1) < 4 * squares.std() / np.sqrt(squares.size)
    x = np.random.default_rng(0).normal(size=(20, 30)).astype(np.float32)
    first, second = (  # apart: BLAS rounds the columns of one product in different ways
        relu(x @ np.asarray(start.w[rows]).T)[:, :, None] * np.asarray(start.a[rows])
        for rows in (slice(None, half), slice(half, None))
    )
    assert not (first + second).any()
    alone = OneStep(2000, symmetric=False)._start(jax.random.key(0), 30, 2)
    assert alone.w.shape == (2000, 30)
    assert not np.array_equal(alone.w[:half], alone.w[half:])


def test_kept_biases_come_in_pairs_too():
    start = OneStep(20, bias="keep")._start(jax.random.key(0), 3, 1)
    assert np.array_equal(start.b[:10], start.b[10:])
    assert len(np.unique(start.b)) == 10


def test_without_the_symmetric_start_nothing_is_learned(problem, links):
    train = problem(links["mixed"], seed=5, n=3000, dim=20, noise=0.3)
    x = np.random.default_rng(6).normal(size=(4000, 20)).astype(np.float32)
    truth = links["mixed"](x @ train.u)

    def risk(symmetric):
        learner = OneStep(100, symmetric=symmetric, estimate_rank=False)
        fit = learner.fit(train.sample, key=jax.random.key(1))
        return np.mean((np.asarray(fit(x)) - truth) ** 2) / np.mean(truth**2)

    assert risk(symmetric=True) < 0.25
    assert 0.8 < risk(symmetric=False) < 1.2


@pytest.fixture(scope="module")
def steps(learner, easy, key):
    """Fits that differ in `step` alone, as one program."""
    sizes = (0.0, 0.5, 1.0, 2.0)
    learners = [OneStep(32, step=size, penalties=learner.penalties) for size in sizes]
    return dict(zip(sizes, fit_many(learners, easy.sample, [key] * len(sizes)), strict=True))


def test_the_neurons_have_norm_step_in_root_mean_square(steps):
    for size in (0.5, 1.0, 2.0):
        norms = np.linalg.norm(steps[size].weight, axis=1)
        np.testing.assert_allclose(np.sqrt(np.mean(norms**2)), size, rtol=1e-5)
        np.testing.assert_allclose(steps[size].weight, size * steps[1.0].weight, rtol=1e-5)
        np.testing.assert_allclose(np.sum(steps[size].record["spectrum"] ** 2), size**2, rtol=1e-5)


def test_no_step_leaves_random_features(steps, learner, easy, key):
    start = draws(learner, jax.random.split(key, 3)[0], easy.sample.x, easy.sample.y[:, None])
    np.testing.assert_allclose(steps[0.0].weight, start.w, rtol=1e-6)
    assert steps[0.0].record["rank"] == 0
    assert np.array_equal(steps[0.0].bias, steps[1.0].bias)

    def energy(weight):
        along = np.asarray(weight, np.float64)[:16] @ easy.u
        return np.sum(along**2) / np.sum(np.asarray(weight[:16]) ** 2)

    d, m = 8, 16  # energy ~ Beta(m/2, m(d−1)/2) in the 16 independent neurons
    assert abs(energy(steps[0.0].weight) - 1 / d) < 4 * np.sqrt(2 * (d - 1) / (d**2 * (m * d + 2)))
    assert energy(steps[1.0].weight) > 0.7


def test_the_descent_does_not_depend_on_the_block(monkeypatch, learner, problem, links):
    rows = split_rows(problem(links["mixed"], seed=2, n=800, dim=8).sample).train
    start = learner._start(jax.random.key(0), 8, 1)
    whole = jax.jit(lambda: learner._descent(start, rows))()
    monkeypatch.setattr(_rows, "BLOCK_ELEMENTS", {"cpu": 1, "gpu": 1})
    blocks = jax.jit(lambda: learner._descent(start, rows))()
    assert rows.x.shape[0] % 256 != 0
    np.testing.assert_allclose(blocks, whole, atol=1e-6 * np.abs(whole).max())


def test_a_large_fit_takes_under_4_gigabytes():
    sample = Sample(
        jax.ShapeDtypeStruct((40_000, 100), jnp.float32),
        jax.ShapeDtypeStruct((40_000,), jnp.float32),
    )

    def arrays(x, y, key):
        return eqx.filter(OneStep(1000).fit_arrays(Sample(x, y), key), eqx.is_array)

    assert 3e7 < member_bytes(arrays, sample.x, sample.y, jax.random.key(0)) < 4e9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 7}, "even number of neurons"),
        ({"width": 0}, "even number of neurons"),
        ({"step": -1.0}, "step must be finite"),
        ({"step": float("nan")}, "step must be finite"),
        ({"bias": "zero"}, "bias must be"),
        ({"head": "adam"}, "head must be"),
        ({"penalties": ()}, "penalties must be"),
        ({"penalties": (1.0, -1.0)}, "penalties must be"),
        ({"head_steps": 0}, "at least 1 gradient step"),
    ],
)
def test_refuses(options, message):
    with pytest.raises(InvalidInputError, match=message):
        OneStep(**{"width": 8, **options})
