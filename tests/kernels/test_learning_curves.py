"""Predicted learning curves of kernel ridge against measured ones, and at their ends."""

from itertools import product

import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.kernels import (
    NTK,
    PENALTIES,
    RBF,
    DotProduct,
    learning_curve,
    predicted_learning,
    spectrum,
)

D, N, PENALTY, NOISE = 10, 150, 3e-3, 0.3
KERNEL = NTK(1, bias_variance=0.5)
DRAWS, TESTED = 25, 600
# Of each number: what the prediction may miss at this dimension and n.
BAND = {"sphere": 0.05, "gaussian": 0.1, "hypercube": 0.05}


def sphere(rng, n):
    x = rng.normal(size=(n, D))
    return np.sqrt(D) * x / np.linalg.norm(x, axis=1, keepdims=True)


def gaussian(rng, n):
    return rng.normal(size=(n, D))


def hypercube(rng, n):
    return rng.choice([-1.0, 1.0], size=(n, D))


LAWS = {"sphere": sphere, "gaussian": gaussian, "hypercube": hypercube}


def parts(x):
    """Of degree 1 and 2, each harmonic on all three laws."""
    return np.stack([0.8 * x[:, 0], 0.6 * x[:, 1] * x[:, 2]])


@pytest.fixture(scope="module", params=list(LAWS))
def measured(request):
    """Mean risk and learned shares of ridge over draws, with standard errors."""
    rng, draw = np.random.default_rng(8), LAWS[request.param]
    risks, shares = [], []
    for _ in range(DRAWS):
        x, test = draw(rng, N), draw(rng, TESTED)
        y = parts(x).sum(0) + NOISE * rng.normal(size=N)
        gram = np.asarray(KERNEL(jnp.asarray(x)))
        alpha = np.linalg.solve(gram / N + PENALTY * np.eye(N), y / N)
        shown, truth = np.asarray(KERNEL(jnp.asarray(test), jnp.asarray(x))) @ alpha, parts(test)
        risks.append(np.mean((shown - truth.sum(0)) ** 2))
        shares.append(np.linalg.lstsq(truth.T, shown, rcond=None)[0])
    found = np.column_stack([risks, shares])
    return request.param, found.mean(0), found.std(0) / np.sqrt(DRAWS)


def energies(domain):
    second = 0.36 * (D / (D + 2) if domain == "sphere" else 1.0)  # E x_1² x_2² on the sphere
    return {1: 0.64, 2: second}


def inside(domain, known, mean, stderr):
    curve = learning_curve(known, N, PENALTY, NOISE, energies(domain))
    predicted = np.array([curve.risk[0], *curve.learned[0, 1:3]])
    return bool(np.all(np.abs(predicted - mean) <= 4 * stderr + BAND[domain] * mean))


def test_is_that_of_ridge(measured):
    domain, mean, stderr = measured
    assert inside(domain, spectrum(KERNEL, D, domain), mean, stderr)


def test_the_band_rejects_wrong_variants(measured):
    """Higher degrees forgotten; too few functions of a degree; the kernel of another dimension."""
    domain, mean, stderr = measured
    known = spectrum(KERNEL, D, domain)
    low = spectrum(KERNEL, D, domain, degrees=2)
    wrong = [
        low._replace(trace=0.0),
        known._replace(multiplicities=np.ones_like(known.multiplicities)),
        spectrum(KERNEL, D + 3, domain),
    ]
    assert not any(inside(domain, each, mean, stderr) for each in wrong)


def test_of_all_points_of_a_hypercube_with_repetition_is_exact_ridge_in_the_limit():
    """n → ∞: κ → λ, and the risk is that of ridge on the law itself."""
    d = 6
    cube = np.array([*product([-1.0, 1.0], repeat=d)])
    y = cube[:, 0] + cube[:, 1] * cube[:, 2]
    gram = np.asarray(KERNEL(jnp.asarray(cube))) / 2**d
    shown = gram @ np.linalg.solve(gram + 0.1 * np.eye(2**d), y)
    curve = predicted_learning(KERNEL, d, 10**9, 0.1, 0.0, {1: 1.0, 2: 1.0}, domain="hypercube")
    np.testing.assert_allclose(curve.kappa, 0.1, rtol=1e-6)
    np.testing.assert_allclose(curve.risk, np.mean((shown - y) ** 2), rtol=1e-6)


def test_effective_penalty_solves_its_equation():
    known = spectrum(RBF(), 15, "gaussian")
    curve = learning_curve(known, [20, 300], 1e-3, 0.1, {1: 1.0})
    for n, kappa, dimension in zip(curve.n, curve.kappa, curve.effective_dimension, strict=True):
        share = known.eigenvalues / (known.eigenvalues + kappa)
        total = known.multiplicities @ share.sum(1) + known.tail / kappa
        np.testing.assert_allclose(kappa, 1e-3 + kappa * total / n, rtol=1e-10)
        np.testing.assert_allclose(dimension, total, rtol=1e-12)


def test_degrees_are_learned_one_after_another_at_powers_of_the_dimension():
    d = 40
    sizes = [d**k * 4 for k in (1, 2, 3)]
    curve = predicted_learning(NTK(1, bias_variance=1.0), d, sizes, PENALTIES, 0.0, {1: 1, 2: 1})
    at = curve.learned > 0.5
    assert at[:, 1:4].tolist() == [[True, False, False], [True, True, False], [True, True, True]]


def test_a_kernel_that_spans_the_target_learns_it_exactly_from_enough_noiseless_samples():
    curve = predicted_learning(DotProduct((1, 1)), 5, [3, 50], 0.0, 0.0, {1: 1.0})
    np.testing.assert_allclose(curve.learned[1, :2], 1.0, rtol=1e-9)
    assert curve.risk[1] < 1e-12
    assert curve.risk[0] > 0.1


def test_degrees_that_the_kernel_does_not_have_are_never_learned():
    curve = predicted_learning(NTK(1), 10, 10**6, 1e-9, 0.0, {3: 1.0})
    assert curve.learned[0, 3] == 0
    assert curve.risk[0] >= 1.0
    far = predicted_learning(RBF(), 3000, 1000, 1e-3, 0.0, {9: 1.0})
    assert far.risk[0] >= 1.0


def test_takes_the_best_of_several_penalties():
    known = spectrum(KERNEL, D)
    tried = [learning_curve(known, N, p, NOISE, {1: 1.0}).risk[0] for p in PENALTIES[::10]]
    best = learning_curve(known, N, PENALTIES[::10], NOISE, {1: 1.0})
    np.testing.assert_allclose(best.risk[0], min(tried), rtol=1e-12)
    np.testing.assert_allclose(best.penalty[0], PENALTIES[::10][int(np.argmin(tried))])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"n": 0}, "n must be an integer of at least 1"),
        ({"n": [10, 2.5]}, "n must be an integer"),
        ({"penalty": -1.0}, "penalty must be"),
        ({"penalty": float("nan")}, "penalty must be"),
        ({"penalty": ()}, "penalty must be"),
        ({"noise": -0.1}, "noise"),
        ({"energies": [0.0, 1.0]}, "energies must map degrees"),
        ({"energies": {1.5: 1.0}}, "degree of energies"),
        ({"energies": {1: -1.0}}, "energy of degree 1"),
    ],
)
def test_refuses_what_gives_no_curve(change, said):
    arguments = {"n": 10, "penalty": 0.1, "noise": 0.0, "energies": {1: 1.0}} | change
    with pytest.raises(InvalidInputError, match=said):
        predicted_learning(RBF(), 4, **arguments)
