"""The kernel machine that learns features: gradients, M, rounds, and a plateau it gets under."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn import memory
from featlearn.errors import InvalidInputError
from featlearn.kernels import RBF, Laplace
from featlearn.learners import GradientOuterProduct, KernelRidge
from featlearn.learners.gradient_outer_product import gradients
from featlearn.samples import Sample

PENALTIES = tuple(np.logspace(-8, 0, 5))
BANDWIDTHS = (0.7, 1.5, 3.0)


@pytest.fixture(scope="module")
def problem12(problem, links):
    return problem(links["mixed"], seed=4, n=420, dim=12, noise=0.0)


@pytest.fixture(scope="module")
def learner():
    return GradientOuterProduct(3, bandwidths=BANDWIDTHS, penalties=PENALTIES)


@pytest.fixture(scope="module")
def fit(learner, problem12, key):
    return learner.fit(problem12.sample, key=key)


@pytest.mark.parametrize("kernel", [RBF(0.8), Laplace(0.8)], ids=lambda k: type(k).__name__)
def test_gradients_are_those_of_the_predictor(kernel):
    rng = np.random.default_rng(0)
    z, points, alpha = (jnp.asarray(rng.normal(size=s)) for s in ((5, 3), (9, 3), (9, 2)))
    z = z.at[0].set(points[4])

    def predict(one):
        return (kernel.between(one[None], points) @ alpha)[0]

    expected = jax.vmap(jax.jacrev(predict))(z)
    found = gradients(kernel, z, points, alpha)
    np.testing.assert_allclose(found, expected.transpose(0, 2, 1), rtol=1e-7)
    wrong = gradients(type(kernel)(0.9), z, points, alpha)
    assert np.abs(wrong - found).max() > 1e-2 * np.abs(found).max()


def test_the_gradient_of_a_fit_is_that_of_its_predictions(fit, problem12):
    x = jnp.asarray(problem12.sample.x[:4], jnp.float64)
    expected = jax.vmap(jax.grad(lambda one: fit(one[None])[0]))(x)
    np.testing.assert_allclose(fit.gradient(x)[:, :, 0], expected, rtol=1e-6)


def test_both_solvers_turn_to_the_same_metric(fit, problem12, key):
    again = GradientOuterProduct(
        3, bandwidths=BANDWIDTHS, penalties=PENALTIES, solver="cholesky"
    ).fit(problem12.sample, key=key)
    np.testing.assert_allclose(again.root, fit.root, rtol=1e-5, atol=1e-7)
    assert int(again.record["round"]) == int(fit.record["round"])


def test_the_outer_product_is_the_mean_over_training_rows(fit, problem12):
    slopes = np.asarray(fit.gradient(problem12.sample.x[:336]))[:, :, 0]
    np.testing.assert_allclose(fit.outer_product, slopes.T @ slopes / 336, rtol=1e-6, atol=1e-12)


def test_m_keeps_the_mean_squared_distance(fit, problem12):
    """So that a bandwidth means the same in every round: (1/n) Σ |√M (x − mean)|² = d."""
    x = problem12.sample.x[:336].astype(np.float64)
    turned = (x - x.mean(0)) @ np.asarray(fit.root)
    np.testing.assert_allclose(np.sum(turned**2) / 336, 12, rtol=1e-6)
    spectra = np.asarray(fit.record["spectra"])
    assert spectra.shape == (4, 12)
    np.testing.assert_allclose(spectra[0], spectra[0, 0], rtol=1e-9)
    assert np.all(np.diff(spectra, axis=1) <= 1e-9)
    values = np.linalg.eigvalsh(np.asarray(fit.root) @ np.asarray(fit.root))[::-1]
    np.testing.assert_allclose(values, spectra[int(fit.record["round"])], atol=1e-9)


@pytest.mark.parametrize("power", [0.5, 1.0])
def test_the_next_m_is_a_power_of_the_outer_product(power):
    h = np.random.default_rng(0).normal(size=(4, 7))
    product = h @ h.T
    values, vectors = np.linalg.eigh(product)
    expected = (vectors * values**power) @ vectors.T
    found = np.asarray(GradientOuterProduct(power=power)._next(jnp.asarray(product)))
    np.testing.assert_allclose(found / found[0, 0], expected / expected[0, 0], rtol=1e-9)
    alone = GradientOuterProduct(power=power, diagonal=True)._next(jnp.asarray(product))
    np.testing.assert_allclose(alone, np.diag(np.diag(found)), rtol=1e-12)


def test_round_0_is_ridge_on_the_inputs_themselves(fit, problem12):
    """By hand, for the best bandwidth and λ of round 0."""
    x, y = problem12.sample.x.astype(np.float64), problem12.sample.y
    z = x * np.sqrt(12 / np.sum(np.var(x[:336], axis=0)))
    errors = []
    for h in BANDWIDTHS:
        gram = np.asarray(RBF(h)(z))
        for penalty in PENALTIES:
            matrix = gram[:336, :336] / 336 + penalty * np.eye(336)
            alpha = np.linalg.solve(matrix, y[:336] / 336)
            errors.append(np.mean((gram[336:, :336] @ alpha - y[336:]) ** 2))
    np.testing.assert_allclose(fit.record["round_errors"][0], min(errors), rtol=1e-4)


def test_the_round_of_least_validation_error_is_the_fit(fit, problem12):
    errors = np.asarray(fit.record["round_errors"])
    best = int(fit.record["round"])
    assert best == np.argmin(errors) > 0
    x, y = problem12.sample.x[336:], problem12.sample.y[336:]
    np.testing.assert_allclose(np.mean((fit(x) - y) ** 2), errors[best], rtol=1e-5)
    assert fit.record["validation"].min() == errors[best]


def test_it_gets_under_the_plateau_of_fixed_kernels(fit, problem12, problem, links, key):
    """He2/2 + He3/√12 of one direction in d = 12 from 420 samples, where a kernel that learned
    all of He2 and nothing of He3 has squared error ½."""
    rng = np.random.default_rng(8)
    x = rng.normal(size=(2000, 12)).astype(np.float32)
    y = links["mixed"](x @ problem12.u)
    errors = {"learned": np.mean((np.asarray(fit(x)) - y) ** 2)}
    for form in (RBF, Laplace):
        fixed = KernelRidge([form(h) for h in BANDWIDTHS], penalties=PENALTIES)
        shown = fixed.fit(problem12.sample, key=key)(x)
        errors[form.__name__] = np.mean((np.asarray(shown) - y) ** 2)
    assert errors["learned"] < 0.02
    assert min(errors["RBF"], errors["Laplace"]) > 0.1
    direction = np.asarray(fit.directions())
    assert direction.shape == (12, 1)
    assert abs(problem12.u @ direction[:, 0]) > 0.999


def test_a_target_without_directions_finds_none(learner, key):
    """The control: |x|² is the same in every direction, and M stays near a multiple of I."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(420, 12)).astype(np.float32)
    sample = Sample(x, (x**2).mean(1) + 0.05 * rng.normal(size=420))
    found = learner.fit(sample, key=key)
    spectrum = np.asarray(found.record["spectra"])[1]
    assert spectrum[0] < 4 * spectrum[-1]
    assert found.directions().shape[1] >= 9


def test_a_diagonal_m_selects_coordinates(key):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(300, 6)).astype(np.float32)
    sample = Sample(x, x[:, 0] * x[:, 1])
    found = GradientOuterProduct(2, diagonal=True, bandwidths=BANDWIDTHS, penalties=PENALTIES).fit(
        sample, key=key
    )
    root = np.asarray(found.root)
    assert np.abs(root - np.diag(np.diag(root))).max() < 1e-9
    assert np.diag(root)[:2].min() > 5 * np.diag(root)[2:].max()
    np.testing.assert_allclose(found.features(x), x @ root, rtol=1e-6)


def test_units_of_the_inputs_do_not_matter(learner, problem12, key, fit):
    x, y = problem12.sample.x, problem12.sample.y
    scaled = learner.fit(Sample(1024 * x, y), key=key)
    np.testing.assert_allclose(scaled(1024 * x), fit(x), rtol=1e-4, atol=1e-4)


def test_refuses_what_memory_cannot_hold(monkeypatch, key):
    monkeypatch.setattr(memory, "machine_bytes", lambda: 1000)
    with pytest.raises(InvalidInputError, match=r"GB are free. Take fewer samples.$"):
        GradientOuterProduct().fit(Sample(np.zeros((50, 2)), np.arange(50.0)), key=key)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"rounds": 0}, "rounds must be"),
        ({"kernel": "rbf"}, "kernel must be 'laplace' or 'gaussian'"),
        ({"power": 0.0}, "power must be"),
        ({"bandwidths": ()}, "takes a kernel"),
        ({"bandwidths": (1.0, -1.0)}, "bandwidth must be positive"),
        ({"penalties": (0.0,)}, "penalties must be"),
        ({"solver": "iterative"}, "solver must be 'exact' or 'cholesky'"),
    ],
)
def test_refuses(given, says):
    with pytest.raises(InvalidInputError, match=says):
        GradientOuterProduct(**given)
