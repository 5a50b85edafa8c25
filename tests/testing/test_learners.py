"""The kit for learners accepts a tiny true learner and rejects each broken promise."""

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn import Task
from featlearn.errors import InvalidInputError
from featlearn.inputs import Gaussian
from featlearn.precision import double_inside, double_precision
from featlearn.samples import Sample, check_sample
from featlearn.targets import single_index
from featlearn.testing import check_learner

KEY = jax.random.key(5)
TASK = Task(Gaussian(3), single_index({1: 1.0, 2: 0.5}, 3, key=KEY), noise=0.1)
SAMPLE = TASK.sample(KEY, 40)


class TinyFit(eqx.Module):
    """f(x) = aᵀ tanh(Wx)."""

    weight: Any
    head: Any
    record: dict[str, Any]
    fault: str = eqx.field(static=True)

    @double_inside
    def __call__(self, x: Any) -> Any:
        y = jnp.tanh(jnp.asarray(x, jnp.float64) @ self.weight.T) @ self.head
        if self.fault == "prediction shape":
            return y[..., None]
        if self.fault == "nan":
            return jnp.log(y - y)
        return y - y.mean() if self.fault == "batch" else y

    @double_inside
    def features(self, x: Any, level: int = 1) -> Any:
        if level == 0:
            return jnp.asarray(x) * (2 if self.fault == "level 0" else 1)
        hidden = jnp.tanh(jnp.asarray(x, jnp.float64) @ self.weight.T)
        return hidden[0] if self.fault == "features" else hidden


class Tiny(eqx.Module):
    """Ridge on four random features, with one promise broken."""

    fault: str = eqx.field(static=True, default="none")
    check: ClassVar[Any] = staticmethod(check_sample)
    before: ClassVar[Any] = staticmethod(lambda sample, key: (sample, key))
    penalty: float = 0.1

    def fit(self, sample: Sample, *, key: Any) -> Any:
        self.check(sample)
        sample, key = self.before(sample, key)
        fitted = _fit(self, jax.tree.map(jnp.asarray, sample), key)
        return fitted if self.fault != "no protocol" else fitted.head

    def fit_arrays(self, sample: Sample, key: Any) -> TinyFit:
        n = sample.n if sample.count is None or self.fault == "padding" else sample.count
        real = jnp.arange(sample.n) < n
        weight = jax.random.normal(key, (4, sample.dim), jnp.float64)
        hidden = jnp.tanh(sample.x.astype(jnp.float64) @ weight.T) * real[:, None]
        gram = hidden.T @ hidden / n + self.penalty * jnp.eye(4)
        pull = jnp.tensordot(hidden.T, sample.y.astype(jnp.float64), 1) / n
        if self.fault == "padding":
            pull = pull + sample.x[-1, 0]
        record = {"gram": gram, "note": "text"} if self.fault == "record" else {"gram": gram}
        head = jnp.linalg.solve(gram, pull)
        return TinyFit(weight=weight, head=head, record=record, fault=self.fault)


@double_precision
@eqx.filter_jit
def _fit(learner: Tiny, sample: Sample, key: Any) -> TinyFit:
    return learner.fit_arrays(sample, key)


def test_a_true_learner_passes() -> None:
    check_learner(Tiny(), SAMPLE, key=KEY)


def test_a_true_learner_of_two_outputs_passes() -> None:
    two = Sample(SAMPLE.x, jnp.stack([SAMPLE.y, -SAMPLE.y], axis=1))
    check_learner(Tiny(), two, key=KEY)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("prediction shape", r"predictions: shape \(40, 1\)"),
        ("nan", "predictions: NaN"),
        ("batch", "the prediction of one row"),
        ("level 0", "features at level 0"),
        ("features", "features at level 1: shape"),
        ("record", "'note'"),
        ("no protocol", "fitted: no call"),
        ("padding", "member 1 of a fleet"),
    ],
)
def test_a_broken_promise_is_rejected(fault: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_learner(Tiny(fault), SAMPLE, key=KEY)


def _changed(sample: Sample, key: Any) -> Any:
    np.asarray(sample.y)[0] += 1.0
    return sample, key


def _other_key(sample: Sample, key: Any) -> Any:
    return sample, jax.random.key(np.random.default_rng().integers(2**31))


def _other_labels(sample: Sample, key: Any) -> Any:
    return Sample(sample.x, 1.001 * sample.y), key


@pytest.mark.parametrize(
    ("before", "message"),
    [
        (_changed, "changes the arrays"),
        (_other_key, "second fit with the same key"),
        (_other_labels, "fit_arrays under jit"),
    ],
)
def test_a_fit_that_is_not_its_arrays_is_rejected(
    before: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tiny, "before", staticmethod(before))
    with pytest.raises(AssertionError, match=message):
        check_learner(Tiny(), SAMPLE, key=KEY)


def _only_values(sample: Sample) -> None:
    labels = np.asarray(sample.y)
    if np.isnan(labels).any() or np.isnan(np.asarray(sample.x)).any():
        raise InvalidInputError("NaN")
    if np.ptp(labels) == 0:
        raise InvalidInputError("constant")


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda sample: None, "labels with a NaN are accepted"),
        (_only_values, "x of one dimension end in .* instead of InvalidInputError"),
    ],
)
def test_bad_samples_that_are_not_refused_are_rejected(
    check: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tiny, "check", staticmethod(check))
    with pytest.raises(AssertionError, match=message):
        check_learner(Tiny(), SAMPLE, key=KEY)


def test_what_is_no_learner_is_rejected() -> None:
    with pytest.raises(AssertionError, match="no fit"):
        check_learner(object(), SAMPLE, key=KEY)
