"""pHd's matrix is the formula, and its mean is the Hessian's."""

import numpy as np

from featlearn.learners import PHd


def test_the_matrix_is_the_formula():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    weight = (np.arange(40) < 33).astype(float)
    wanted = sum((y[i] - y[:33].mean()) * np.outer(x[i], x[i]) for i in range(33)) / 33
    np.testing.assert_allclose(PHd(4).matrix(x, y, weight), wanted, atol=1e-12)


def test_on_gaussian_inputs_it_estimates_the_mean_hessian():
    """f = He2(⟨u, x⟩) + x₁x₂x₃: E ∇²f = 2uuᵀ. Each entry lies in its band."""
    rng = np.random.default_rng(1)
    u = np.array([0.6, 0.0, 0.8])
    x = rng.normal(size=(20_000, 3))
    y = (x @ u) ** 2 - 1 + x.prod(axis=1)
    products = y[:, None, None] * x[:, :, None] * x[:, None, :]
    stderr = products.std(0) / np.sqrt(len(x))
    m = np.asarray(PHd(4).matrix(x, y, np.ones(len(x))))
    assert (np.abs(m - 2 * np.outer(u, u)) < 4 * stderr + 4 / np.sqrt(len(x))).all()
    assert np.abs(m - np.outer(u, u)).max() > 8 * stderr.max()


def test_finds_even_directions(directions_found, links):
    for link in (links["he2"], links["mixed"]):
        assert (directions_found(PHd(4).matrix, link) > 0.95).all()


def test_a_function_without_a_mean_hessian_leaves_noise(links):
    """The largest eigenvalue falls with n as noise does; that of He2 stays."""

    def largest(link, n, seeds=8):
        found = []
        for seed in range(seeds):
            x = np.random.default_rng(seed).normal(size=(n, 6))
            m = np.asarray(PHd(4).matrix(x, link(x[:, 0]), np.ones(n)))
            found.append(abs(np.linalg.eigvalsh(m)).max())
        return np.median(found)

    assert largest(links["he3"], 32_000) < 0.5 * largest(links["he3"], 2000)
    assert largest(links["he2"], 32_000) > 0.9 * largest(links["he2"], 2000) > 1.5
