"""What every learner and every fitted model offers."""

from typing import Any, Protocol, runtime_checkable

from jaxtyping import Array, Float, Key

from featlearn.samples import Sample

VALIDATION_FRACTION = 0.2


@runtime_checkable
class Fitted(Protocol):
    """A callable pytree. `record` holds what happened in training, as arrays."""

    record: dict[str, Any]

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]: ...

    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n m"]: ...


@runtime_checkable
class Learner(Protocol):
    """A frozen config. `fit` checks its input; `fit_arrays` is the pure function the fleet maps."""

    def fit(self, sample: Sample, *, key: Key[Array, ""]) -> Fitted: ...

    def fit_arrays(self, sample: Sample, key: Key[Array, ""]) -> Fitted: ...


@runtime_checkable
class StreamLearner(Protocol):
    """A learner that can also be trained on fresh points of a task, step by step."""

    def fit_stream(self, task: Any, *, key: Key[Array, ""]) -> Fitted: ...

    def fit_stream_arrays(self, task: Any, key: Key[Array, ""]) -> Fitted: ...
