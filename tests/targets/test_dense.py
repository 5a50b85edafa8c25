"""Dense targets: values against a slow reference, weights, facts, and what they refuse."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.inputs import Gaussian, Hypercube, Mixture, Uniform
from featlearn.targets import Dense, dense, level_moments, slides_gaps, slides_widths

KEY = jax.random.key(5)
D = 6
X = np.asarray(jax.random.normal(jax.random.key(8), (7, D), jnp.float64))
FORMS = {
    "slides": dense(D, (3, 2, 2), (1.0, 0.3, 0.1), kappa=2.0, signs="random", key=KEY),
    "paper": dense(D, (3, 2, 1), (1.0, 0.3, 0.1), first_layer="fixed", square_mean=0.5, key=KEY),
    "skip": dense(D, (3, 2, 1), (1.0, 0.5, 2.0), graph={1: [0], 2: [1], 3: [1, 0]}, key=KEY),
}


def slowly(target: Dense, x: np.ndarray, *, activated: bool = True) -> tuple[float, dict]:
    """One point, one neuron after another, as the equations are printed."""
    g = {0: list(x)}
    if target.square_mean is not None:
        g[1] = [v**2 - float(target.square_mean) for v in x]
    s, total = dict(g), 0.0
    for at, sources in enumerate(target.graph):
        level = target.first_level + at
        s[level] = [
            sum(
                float(w[a, i]) * g[j][i]
                for w, j in zip(target.weights[at], sources, strict=True)
                for i in range(len(g[j]))
            )
            for a in range(target.widths[at])
        ]
        g[level] = [v**2 if activated else v for v in s[level]]
        signed = zip(target.signs[at], g[level], strict=True)
        total += float(target.gaps[at]) * sum(float(w) * v for w, v in signed)
    return total, s


@pytest.mark.parametrize("form", FORMS)
def test_values_and_features_are_those_of_the_equations(form: str) -> None:
    target = FORMS[form]
    slow = [slowly(target, x) for x in X]
    np.testing.assert_allclose(target(X), [f for f, _ in slow], rtol=1e-10)
    for level in range(target.levels + 1):
        expected = np.array([s[level] for _, s in slow])
        np.testing.assert_allclose(target.features(X, level), expected, rtol=1e-9, atol=1e-12)
    wrong = [slowly(target, x, activated=False)[0] for x in X]
    assert np.abs(np.asarray(target(X)) - wrong).max() > 0.1


@pytest.mark.parametrize("form", FORMS)
def test_outputs_are_squares_and_parts_sum_to_the_label(form: str) -> None:
    target = FORMS[form]
    for level in range(target.first_level, target.levels + 1):
        squares = target.features(X, level) ** 2
        np.testing.assert_allclose(target.outputs(X, level), squares)
    np.testing.assert_array_equal(target.outputs(X, 0), X)
    parts = [target.part(X, s) for s in range(target.first_level, target.levels + 1)]
    np.testing.assert_allclose(sum(parts), target(X))
    assert float(target.gap(target.levels)) == pytest.approx(float(target.gaps[-1]))


def test_a_fixed_first_layer_is_centred_squares() -> None:
    paper = FORMS["paper"]
    np.testing.assert_allclose(paper.features(X, 1), X**2 - 0.5)
    np.testing.assert_allclose(paper.outputs(X, 1), X**2 - 0.5)
    with pytest.raises(InvalidInputError, match="Layers 2 to 4"):
        paper.part(X, 1)
    with pytest.raises(InvalidInputError, match="level 5"):
        paper.features(X, 5)


@pytest.fixture(scope="module")
def fleet() -> Dense:
    """300 targets of one structure, κ = 3, each with gaps of its own."""
    return jax.vmap(lambda k, a: dense(4, (3, 3), a, kappa=3.0, key=k))(KEYS, GAPS)


KEYS = jax.random.split(KEY, 300)
GAPS = jnp.stack([jnp.ones(300), jnp.linspace(0.1, 3.0, 300)], axis=1)


def test_singular_values_are_between_the_ends_and_reach_out_to_them(fleet: Dense) -> None:
    values = np.linalg.svd(np.asarray(fleet.weights[1][1]), compute_uv=False)
    assert values.min() >= 1 / 3 - 1e-5
    assert values.max() <= 3 + 1e-5
    logs = np.log(values).ravel() / np.log(3)  # uniform on [−1, 1]
    assert abs(logs.mean()) < 4 / np.sqrt(3 * logs.size)
    assert abs((logs**2).mean() - 1 / 3) < 4 * np.sqrt(4 / 45 / logs.size)
    plain = FORMS["paper"].weights[0][0]
    np.testing.assert_allclose(plain @ plain.T, np.eye(3), atol=1e-6)


def test_weights_are_uniformly_turned(fleet: Dense) -> None:
    """No entry has a mean, and all have the same mean square, E s²/d, in a column of W_{1,0}."""
    w = np.asarray(fleet.weights[0][0])
    squares = (w**2).mean(0)
    assert (np.abs(w.mean(0)) < 4 * np.sqrt(squares / 300)).all()
    spread = (w**2).std(0) / np.sqrt(300)
    expected = (9 - 1 / 9) / (4 * np.log(3)) / 4  # E s² of log-uniform s in [1/3, 3]
    assert (np.abs(squares - expected) < 4.5 * spread).all()


def test_targets_of_one_structure_stack(fleet: Dense) -> None:
    y = jax.vmap(lambda f: f(X[:, :4]))(fleet)
    for i in (0, 299):
        one = dense(4, (3, 3), GAPS[i], kappa=3.0, key=KEYS[i])
        np.testing.assert_allclose(y[i], one(X[:, :4]), rtol=1e-6)


def test_another_graph_keeps_the_weights_of_common_connections() -> None:
    full = dense(D, (3, 2, 2), (1.0, 0.3, 0.1), key=KEY)
    chain = dense(D, (3, 2, 2), (1.0, 0.3, 0.1), graph={1: [0], 2: [1], 3: [2]}, key=KEY)
    np.testing.assert_array_equal(full.weights[2][2], chain.weights[2][0])
    assert full.graph == ((0,), (0, 1), (0, 1, 2))


def test_degrees_follow_the_graph() -> None:
    law = Gaussian(D)
    assert FORMS["slides"].facts(law).degree == 8
    assert FORMS["paper"].facts(law).degree == 16
    assert FORMS["skip"].facts(law).degree == 4
    assert FORMS["slides"].facts(law).gaps == pytest.approx((1.0, 0.3, 0.1))


def test_gaussian_moments_by_a_second_route() -> None:
    """E (wᵀx)² and Var (wᵀx)² in closed form, for one layer under N(μ, Σ)."""
    target = dense(D, (2,), (0.7,), signs=[[1, -1]], key=KEY)
    mean, covariance = np.arange(D) / 5, np.diag(np.arange(1.0, D + 1)) + 0.3
    w = np.asarray(target.weights[0][0])
    form = 0.7 * w.T @ np.diag([1, -1]) @ w
    expected = np.trace(form @ covariance) + mean @ form @ mean
    spread = form @ covariance
    variance = 2 * np.trace(spread @ spread) + 4 * mean @ spread @ form @ mean
    facts = target.facts(Gaussian(D, mean, covariance))
    assert facts.mean == pytest.approx(expected)
    assert facts.second_moment == pytest.approx(variance + expected**2)
    wrong = np.trace(form) + mean @ form @ mean
    assert abs(facts.mean - wrong) > 0.1


def test_moments_of_every_level_exact_or_by_draws() -> None:
    target = dense(D, (2, 1), (1.0, 0.3), graph={1: [0], 2: [1]}, key=KEY)
    exact = level_moments(target, Gaussian(D), key=KEY)
    drawn = level_moments(target, Uniform(D, -1.5, 1.5), key=KEY, n=4000)
    assert all(m.exact and m.mean_stderr == 0 for m in exact)
    assert exact[0].mean == pytest.approx(2.0)  # two squares of N(0, 1)
    assert exact[0].second_moment == pytest.approx(8.0)
    # 0.3 E (aZ² + bZ'²)² with a² + b² = 1: 0.3 (3 + 2ab)
    a, b = np.asarray(target.weights[1][0])[0]
    assert exact[1].mean == pytest.approx(0.3 * (3 + 2 * a * b), rel=1e-5)
    assert not any(m.exact for m in drawn)
    assert abs(drawn[0].mean - 2 * 0.75) < 4 * drawn[0].mean_stderr
    assert FORMS["slides"].facts(Gaussian(D)).mean is None  # 9⁶ points are too many


def test_heavy_moments_are_exact_and_not_among_the_facts() -> None:
    """Degree 8: w⁸ of one direction has E = 105 and E of the square 2027025."""
    target = dense(3, (1, 1, 1), (1.0, 1.0, 1.0), graph={1: [0], 2: [1], 3: [2]}, key=KEY)
    law = Mixture([Gaussian(3), Gaussian(3)])
    facts, moments = target.facts(law), level_moments(target, law, key=KEY)
    assert facts.mean == pytest.approx(1 + 3 + 105)
    assert facts.second_moment is None
    assert [m.second_moment for m in moments] == pytest.approx([3, 105, 2027025])
    assert target.facts(Hypercube(3)).mean is None


def test_traced_targets_declare_what_needs_no_numbers() -> None:
    target = FORMS["slides"]
    basis = jax.jit(lambda f: f.facts(Gaussian(D)).subspace)(target)
    assert basis.shape == (D, D)
    narrow = dense(D, (2,), (1.0,), key=KEY)
    traced = jax.jit(lambda f: f.facts(Gaussian(D)).subspace)(narrow)
    known = narrow.facts(Gaussian(D)).subspace
    np.testing.assert_allclose(traced @ traced.T, known @ known.T, atol=1e-6)


def test_the_slides_sizes() -> None:
    assert slides_widths(256, 3) == (16, 4, 2)
    np.testing.assert_allclose(slides_gaps(256, 3), [1, 1 / 16, 1 / 64])
    assert slides_widths(2, 4)[-1] == 1


def make(**change: Any) -> Dense:
    given = {"dim": 5, "widths": (3, 2), "gaps": (1.0, 0.1), "key": KEY}
    return dense(**(given | change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gaps": (1.0, 0.0)}, "gaps must be positive"),
        ({"gaps": (1.0,)}, r"gaps must have shape \(2,\)"),
        ({"kappa": 0.5}, "kappa must be at least 1"),
        ({"widths": ()}, "widths is empty"),
        ({"widths": (3, 0)}, "every width must be a whole number"),
        ({"first_layer": "frozen"}, 'first_layer must be "trainable" or "fixed"'),
        ({"signs": [[1, 1, 1]]}, "one array for each of 2 layers"),
        ({"signs": [[1, 1, 1], [2, 1]]}, r"signs must be \+1 or −1"),
        ({"signs": "minus"}, 'signs must be "plus"'),
        ({"graph": {1: [0], 2: [2]}}, r"layer 2 read \[2\]"),
        ({"graph": {1: [0], 2: []}}, "no path leads to it"),
        ({"graph": {1: [0]}}, r"each of the layers \[1, 2\]"),
        ({"square_mean": (1.0, 1.0), "first_layer": "fixed"}, "square_mean must have shape"),
    ],
)
def test_refuses_what_is_no_target(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        make(**change)


def test_refuses_inputs_of_another_dimension() -> None:
    with pytest.raises(InvalidInputError, match="dim 6 and the inputs have dim 5"):
        FORMS["slides"].facts(Gaussian(5))


def test_growing_widths_are_allowed_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="The theory needs .* grow with d = 5"):
        make(widths=(2, 3))
