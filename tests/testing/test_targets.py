"""The conformance kit accepts what is true and rejects every fact made false."""

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.inputs import Gaussian, Hypercube, Inputs, Sphere
from featlearn.targets import Facts, MultiIndex, Target, multi_index, powered
from featlearn.testing import check_target
from featlearn.testing._complexities import check_complexities

D = 5
KEY = jax.random.key(7)
INPUTS = Gaussian(D)
TRUE = multi_index({(2, 0): 0.5, (1, 1): 0.4, (0, 3): 0.1}, D, key=jax.random.key(1))


FACTS = TRUE.facts(INPUTS)
U = FACTS.subspace
OTHER = np.linalg.svd(U)[0][:, 2:3]  # a direction outside S*
TILTED = np.linalg.qr(U + 0.02 * OTHER)[0]
FALSE = {
    "mean too high": ("mean", {"mean": 0.1}),
    "mean of another shape": ("mean", {"mean": np.zeros(1)}),
    "second moment of f - E f doubled": ("second_moment", {"second_moment": 2.0}),
    "second moment off by a quarter": (
        "second_moment",
        {"second_moment": 1.25 * FACTS.second_moment},
    ),
    "linear part in one direction": ("linear", {"linear": 0.1 * U[:, 0]}),
    "hessian halved": ("hessian", {"hessian": FACTS.hessian / 2}),
    "hessian with a foreign entry": (
        "hessian",
        {"hessian": FACTS.hessian + 0.05 * OTHER * OTHER.T},
    ),
    "subspace without a direction": ("subspace", {"subspace": U[:, :1]}),
    "subspace with one too many": ("subspace", {"subspace": np.hstack([U, OTHER])}),
    "subspace tilted": ("subspace", {"subspace": TILTED}),
    "subspace not orthonormal": ("subspace", {"subspace": 2 * U}),
    "subspace transposed": ("subspace", {"subspace": U.T}),
    "degree too low": ("degree", {"degree": 2}),
    "degree too high": ("degree", {"degree": 4}),
    "information exponent too low": ("information_exponent", {"information_exponent": 1}),
    "information exponent too high": (
        "information_exponent",
        {"information_exponent": 3, "leap": None},
    ),
    "leap below the information exponent": ("leap", {"leap": 1}),
    "leap above the degree": ("leap", {"leap": 4}),
    "leap of another order": ("leap", {"leap": 3}),
    "gap of zero": ("gaps", {"gaps": (1.0, 0.0)}),
    "more gaps than levels": ("gaps", {"gaps": (1.0, 0.5)}),
    "too few levels": ("levels", {"levels": 0}),
    "too many levels": ("levels", {"levels": 2}),
}


def test_a_true_teacher_passes() -> None:
    check_target(TRUE, INPUTS, key=KEY)


@pytest.mark.parametrize("name", FALSE)
def test_a_false_fact_is_rejected_by_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fact, claims = FALSE[name]
    monkeypatch.setattr(MultiIndex, "facts", lambda *_: dataclasses.replace(FACTS, **claims))
    with pytest.raises(AssertionError, match=f"^{fact}"):
        check_target(TRUE, INPUTS, key=KEY)


STRONG = powered(3, 2, 0.5, direction=[1.0, 0.0])  # on a circle, whose draws come near its pole
CIRCLE = Sphere(2, 1.0)
STRONG_FACTS = STRONG.facts(CIRCLE)
FALSE_COMPLEXITIES = {
    "C(F) negative": {"base_complexity": -1.0},
    "C(F) of a half": {"base_complexity": STRONG_FACTS.base_complexity / 2},
    "C(G) infinite": {"composite_complexity": np.inf},
    "C(G∘F) of a half": {"composed_complexity": STRONG_FACTS.composed_complexity / 2},
}


@pytest.mark.parametrize("name", FALSE_COMPLEXITIES)
def test_a_false_complexity_is_rejected(name: str) -> None:
    claims = FALSE_COMPLEXITIES[name]
    x = CIRCLE.sample(KEY, 500).astype(jnp.float64)
    check_complexities(STRONG, STRONG_FACTS, CIRCLE, x)
    with pytest.raises(AssertionError, match="complexity"):
        check_complexities(STRONG, dataclasses.replace(STRONG_FACTS, **claims), CIRCLE, x)


def test_a_complexity_under_unbounded_inputs_is_rejected() -> None:
    facts = Facts(base_complexity=1.0)
    with pytest.raises(AssertionError, match="unbounded inputs"):
        check_complexities(TRUE, facts, INPUTS, jnp.ones((3, D)))


def test_every_fact_is_falsified_at_least_once() -> None:
    falsified = {fact for fact, _ in FALSE.values()}
    falsified |= {fact for claims in FALSE_COMPLEXITIES.values() for fact in claims}
    assert falsified == {field.name for field in dataclasses.fields(Facts)}


def test_an_exponent_under_another_law_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MultiIndex, "facts", lambda *_: Facts(information_exponent=2))
    with pytest.raises(AssertionError, match=r"information_exponent.*not N\(0, I\)"):
        check_target(TRUE, Hypercube(D), key=KEY)


class Faulty(Target):
    """f(x) = x_1², with one fault in how it behaves."""

    fault: str = eqx.field(static=True)
    dim: int = eqx.field(static=True, default=D)

    def __call__(self, x: Any) -> Any:
        y = x[:, 0] ** 2
        if self.fault == "dtype":
            return y.astype(jnp.float32)
        if self.fault == "shape":
            return y[:-1]
        if self.fault == "rows":  # a row's label depends on its neighbours
            return y - y.mean()
        if self.fault == "python":
            return y * float(y[0])
        if self.fault == "gradient":
            return jnp.sqrt(jnp.abs(x[:, 0] - x[:, 0]))
        return y

    def features(self, x: Any, level: int = 1) -> Any:
        return x + 1 if self.fault == "level 0" else super().features(x, level)

    def facts(self, inputs: Inputs) -> Facts:
        return Facts()


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("dtype", "values: dtype float32"),
        ("shape", "values: shape"),
        ("rows", "row by row"),
        ("gradient", "gradients: NaN"),
        ("level 0", "features at level 0"),
    ],
)
def test_a_faulty_function_is_rejected(fault: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_target(Faulty(fault), INPUTS, key=KEY)


def test_a_function_that_cannot_be_compiled_is_rejected() -> None:
    with pytest.raises(jax.errors.ConcretizationTypeError):
        check_target(Faulty("python"), INPUTS, key=KEY)


def test_a_faultless_function_without_facts_passes() -> None:
    check_target(Faulty("none"), INPUTS, key=KEY)


class Pair(Target):
    """f(x) = (x_1 x_2, x_1²): two outputs, and every fact for both."""

    right: float = eqx.field(static=True, default=1.0)
    dim: int = eqx.field(static=True, default=3)

    def __call__(self, x: Any) -> Any:
        return jnp.stack([x[:, 0] * x[:, 1], x[:, 0] ** 2], axis=1)

    def facts(self, inputs: Inputs) -> Facts:
        hessian = np.zeros((3, 3, 2))
        hessian[0, 1, 0] = hessian[1, 0, 0] = self.right
        hessian[0, 0, 1] = 2.0
        return Facts(
            mean=np.array([0.0, 1.0]),
            second_moment=np.array([1.0, 3.0]),
            linear=np.zeros((3, 2)),
            hessian=hessian,
            subspace=np.eye(3)[:, :2],
            degree=2,
            information_exponent=2,
        )


def test_several_outputs() -> None:
    check_target(Pair(), Gaussian(3), key=KEY)
    with pytest.raises(AssertionError, match=r"hessian.*\(0, 1, 0\)"):
        check_target(Pair(right=2.0), Gaussian(3), key=KEY)
