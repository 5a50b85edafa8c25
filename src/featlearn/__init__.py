"""A laboratory for one question: when does gradient descent learn features that no kernel can?

    import featlearn as fl

`fl.inputs`, `fl.targets`, `fl.Task`, `fl.learners`, `fl.kernels`, `fl.measures`, `fl.networks`,
`fl.training` and `fl.fleet` are loaded on first use, so that commands which only read the store
start at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_MODULES = (
    "errors",
    "fleet",
    "inputs",
    "kernels",
    "learners",
    "measures",
    "networks",
    "seeds",
    "targets",
    "testing",
    "training",
)
_NAMES = {"Task": "featlearn.tasks", "Sample": "featlearn.samples"}

if TYPE_CHECKING:
    from featlearn import (
        errors,
        fleet,
        inputs,
        kernels,
        learners,
        measures,
        networks,
        seeds,
        targets,
        testing,
        training,
    )
    from featlearn.samples import Sample
    from featlearn.tasks import Task

__all__ = [
    "Sample",
    "Task",
    "errors",
    "fleet",
    "inputs",
    "kernels",
    "learners",
    "measures",
    "networks",
    "seeds",
    "targets",
    "testing",
    "training",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"featlearn.{name}")
    if name in _NAMES:
        return getattr(import_module(_NAMES[name]), name)
    raise AttributeError(f"module 'featlearn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
