from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

import featlearn as fl
from featlearn.errors import InvalidInputError
from featlearn.fleet._map import map_members
from featlearn.measures import Estimate, excess, relative_risk, risk

KEY = jax.random.key(3)
N = 20_000
TARGET = fl.targets.single_index({1: 0.6, 2: 0.5}, dim=3, direction=[0.0, 1.0, 0.0])


class Off(eqx.Module):
    """The teacher plus scale·x_0 + shift: δ ~ N(shift, scale²) under Gaussian inputs."""

    target: Any
    scale: Any
    shift: Any

    def __call__(self, x: jax.Array) -> jax.Array:
        gap = self.scale * x[:, :1] + self.shift
        y = self.target(x)
        return y + (gap[:, 0] if y.ndim == 1 else gap * jnp.arange(1.0, y.shape[1] + 1))


class Two(fl.targets.Target):
    """Two outputs."""

    dim: int = eqx.field(static=True, default=3)

    def __call__(self, x: jax.Array) -> jax.Array:
        return x[:, :2] ** 2

    def facts(self, inputs: fl.inputs.Inputs) -> fl.targets.Facts:
        return fl.targets.Facts()


def off(scale: float, shift: float = 0.0, target: Any = TARGET) -> Off:
    return Off(target, jnp.asarray(scale), jnp.asarray(shift))


def task(noise: float = 0.0, law: Any = "rademacher", target: Any = TARGET) -> fl.Task:
    return fl.Task(fl.inputs.Gaussian(3), target, noise, law)


def near(found: Estimate, value: float) -> bool:
    return bool(abs(float(found.value) - value) <= 4 * float(found.stderr) + 1e-12)


def test_risk_against_closed_forms() -> None:
    squared = risk(off(0.7, 0.2), task(), key=KEY, n=N)
    assert near(squared, 0.7**2 + 0.2**2)
    assert not near(squared, (0.7**2 + 0.2**2) / 2)  # a half in front
    absolute = risk(off(0.7), task(), key=KEY, n=N, order=1)
    assert near(absolute, 0.7 * (2 / np.pi) ** 0.5)
    assert not near(absolute, 0.7)  # the root of the mean square
    assert int(squared.n) == N


def test_standard_error_is_that_of_the_mean() -> None:
    """Var δ² = 2s⁴ for δ ~ N(0, s²)."""
    found = risk(off(0.7), task(), key=KEY, n=N)
    assert float(found.stderr) == pytest.approx(0.7**2 * (2 / N) ** 0.5, rel=0.1)


def test_the_teacher_has_no_risk_whatever_the_noise_of_the_labels() -> None:
    fit, noisy = off(0.0), task(0.8)
    for found in (
        risk(fit, noisy, key=KEY, n=N),
        excess(fit, noisy, key=KEY, n=N),
        excess(fit, task(0.8, "gaussian"), key=KEY, n=N),
        relative_risk(fit, noisy, key=KEY, n=N),
    ):
        assert (float(found.value), float(found.stderr)) == (0.0, 0.0)


def test_outputs_are_summed() -> None:
    """Gaps δ and 2δ on two outputs."""
    fit, both = off(0.5, target=Two()), task(0.3, target=Two())
    assert near(risk(fit, both, key=KEY, n=N), 0.25 * (1 + 4))
    assert near(risk(fit, both, key=KEY, n=N, order=1), 0.5 * 3 * (2 / np.pi) ** 0.5)
    expected = above_rademacher(0.5, 0.3) + above_rademacher(1.0, 0.3)
    assert near(excess(fit, both, key=KEY, n=N), expected)
    assert near(relative_risk(fit, both, key=KEY, n=N), 1.25 / 4)  # Var x_i² = 2, twice


def above_rademacher(s: float, level: float) -> float:
    """E(|δ| − ζ)₊ for δ ~ N(0, s²)."""
    return 2 * (s * norm.pdf(level / s) - level * norm.sf(level / s))


def above_gaussian(s: float, level: float) -> float:
    """δ − ε ~ N(0, s² + ζ²)."""
    return ((s**2 + level**2) ** 0.5 - level) * (2 / np.pi) ** 0.5


@pytest.mark.parametrize(
    ("law", "closed"), [("rademacher", above_rademacher), ("gaussian", above_gaussian)]
)
@pytest.mark.parametrize("level", [0.0, 0.4, 1.5])
def test_excess_of_order_one_against_closed_forms(law, closed, level) -> None:
    found = excess(off(0.7), task(level, law), key=KEY, n=N)
    assert near(found, max(closed(0.7, max(level, 1e-12)), 0.0))
    if level:
        assert not near(found, closed(0.7, 1e-12))  # noiseless labels
        other = above_gaussian if law == "rademacher" else above_rademacher
        assert not near(found, other(0.7, level))


@pytest.mark.parametrize("law", ["rademacher", "gaussian"])
def test_excess_is_that_of_noisy_labels(law) -> None:
    """The second route: draw the labels' noise, and pay for it in standard error."""
    noisy, fit = task(0.4, law), off(0.7, 0.3)
    x = noisy.inputs.sample(jax.random.key(8), N)
    y = noisy.label(x, jax.random.key(9))
    drawn = np.asarray(jnp.abs(fit(x) - y) - jnp.abs(noisy.target(x) - y))
    found = excess(fit, noisy, key=KEY, n=N)
    error = (drawn.var() / N + float(found.stderr) ** 2) ** 0.5
    assert abs(drawn.mean() - float(found.value)) < 4 * error
    assert float(found.stderr) < drawn.std() / N**0.5


def test_excess_of_order_two_is_the_squared_risk() -> None:
    noisy = task(0.9, "gaussian")
    above = excess(off(0.7), noisy, key=KEY, n=N, order=2)
    assert float(above.value) == float(risk(off(0.7), noisy, key=KEY, n=N).value)


def test_small_gaps_under_gaussian_noise_keep_their_digits() -> None:
    """δ²/(ζ√(2π)) to leading order; a difference of two means would lose it."""
    constant = excess(off(0.0, 1e-6), task(1.0, "gaussian"), key=KEY, n=100)
    gap = 1e-6  # up to the rounding of float32 levels
    assert float(constant.value) == pytest.approx(gap**2 / (2 * np.pi) ** 0.5, rel=1e-3)


def test_relative_risk_is_a_share_of_the_variance() -> None:
    """Var f* = 0.36 + 2·0.25, whatever the mean of f*."""
    variance = 0.36 + 0.5
    assert near(relative_risk(off(0.7), task(), key=KEY, n=N), 0.49 / variance)
    lifted = fl.targets.single_index({0: 2.0, 1: 0.6, 2: 0.5}, dim=3, direction=[0.0, 1.0, 0.0])
    found = relative_risk(off(0.7, target=lifted), task(target=lifted), key=KEY, n=N)
    assert near(found, 0.49 / variance)
    assert not near(found, 0.49 / (variance + 4.0))  # over E f*²


def test_the_best_constant_has_relative_risk_one() -> None:
    """Numerator and denominator share their draws, and so does the standard error."""
    found = relative_risk(_mean, task(), key=KEY, n=N)
    assert float(found.value) == pytest.approx(1.0, abs=1e-3)
    assert float(found.stderr) < 1e-3


def _mean(x: jax.Array) -> jax.Array:
    return jnp.zeros(x.shape[0])


def _measures(fit: Any, problem: Any, key: jax.Array) -> list[Estimate]:
    above = excess(fit, problem, key=key, n=300)
    if problem.noise_law == "gaussian":
        return [above]
    return [above, risk(fit, problem, key=key, n=300), relative_risk(fit, problem, key=key, n=300)]


def _stacked(trees: list[Any]) -> Any:
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)


@pytest.mark.parametrize("law", ["rademacher", "gaussian"])
def test_fleets_of_fits_and_noise_levels_are_measured_at_once(law) -> None:
    fits = [off(0.3), off(0.6), off(0.9, 0.1)]
    tasks = [task(level, law) for level in (0.0, 0.2, 0.5)]
    keys = jax.random.split(KEY, 3)
    together = map_members(_measures, _stacked(fits), _stacked(tasks), keys, block=2)
    for i in range(3):
        alone = _measures(fits[i], tasks[i], keys[i])
        for one, all_ in zip(alone, together, strict=True):
            assert float(all_.value[i]) == pytest.approx(float(one.value), rel=1e-9)
            assert float(all_.stderr[i]) == pytest.approx(float(one.stderr), rel=1e-9)


def test_sessions_of_32_bits_measure_in_64() -> None:
    """A gap of 1e-9 beside labels of size 1 is below the rounding of float32."""
    tiny = off(1e-9)
    with jax.enable_x64(False):
        found = risk(tiny, task(), key=jax.random.key(1), n=2000)
    assert found.value.dtype == jnp.float32
    assert float(found.value) == pytest.approx(1e-18, rel=0.2)


def test_what_cannot_be_measured() -> None:
    for measure in (risk, excess):
        with pytest.raises(InvalidInputError, match="order must be 1"):
            measure(off(0.1), task(), key=KEY, n=100, order=3)
    with pytest.raises(InvalidInputError, match="outputs of the target"):
        risk(lambda x: x[:, :1], task(), key=KEY, n=100)
    with pytest.raises(InvalidInputError, match="at least 2 draws"):
        risk(off(0.1), task(), key=KEY, n=1)
