"""Where fleets are computed: in this process, or as tasks of a Ray cluster."""

import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from queue import SimpleQueue
from typing import Any, Protocol

from featlearn.engine._compute import Computed, Run, compute
from featlearn.engine._study import Cell
from featlearn.errors import InvalidInputError, NotFoundError
from featlearn.processors import cores

BACKENDS = ("local", "ray")
MOST_AHEAD = 6  # fleets in flight: compilers need memory, and an interrupted run loses them


class Backend(Protocol):
    """Takes at most `slots` fleets at a time and gives each back when it is computed.

    Of a study whose fleets may not overlap in one process it takes `alone` at a time.
    """

    slots: int
    alone: int

    def submit(self, ticket: int, run: Run, cells: Sequence[Cell]) -> None: ...

    def collect(self) -> tuple[int, Computed]: ...


@contextmanager
def open_backend(name: str) -> Iterator[Backend]:
    """The backend of that name, closed at the end."""
    if name == "local":
        yield Local()
    elif name == "ray":
        with _ray() as ray:
            yield Ray(ray)
    else:
        raise NotFoundError(f"There is no backend {name!r}: choose one of {', '.join(BACKENDS)}.")


class Local:
    """One fleet at a time; of studies that allow it, as many as cores, and one that waits.

    Fleets run in threads beside the one that waits for them: a compiled program holds its thread
    for minutes, and Ctrl-C is heard by a waiting thread only.
    """

    def __init__(self) -> None:
        self.alone, self.slots = 1, min(cores() + 1, MOST_AHEAD)
        self._results: SimpleQueue[tuple[int, Computed | BaseException]] = SimpleQueue()
        self._ended = 0.0

    def submit(self, ticket: int, run: Run, cells: Sequence[Cell]) -> None:
        work = threading.Thread(target=self._work, args=(ticket, run, cells), daemon=True)
        work.start()

    def collect(self) -> tuple[int, Computed]:
        ticket, result = self._results.get()
        if isinstance(result, BaseException):
            raise result
        return ticket, result

    def _work(self, ticket: int, run: Run, cells: Sequence[Cell]) -> None:
        try:
            self._results.put((ticket, self._since_the_last(compute(run, cells))))
        except BaseException as error:  # KeyboardInterrupt, SystemExit: for the waiting thread
            self._results.put((ticket, error))

    def _since_the_last(self, computed: Computed) -> Computed:
        """Waiting for another fleet is no computing: seconds of fleets add up to those passed."""
        ended, self._ended = self._ended, time.perf_counter()
        return replace(computed, seconds=min(computed.seconds, self._ended - ended))


class Ray:
    """A fleet is a task: on one GPU each where the cluster has any, otherwise on one core each."""

    def __init__(self, ray: Any) -> None:
        resources = ray.cluster_resources()
        unit = "GPU" if resources.get("GPU", 0) >= 1 else "CPU"
        self.alone = self.slots = max(int(resources.get(unit, 1)), 1)
        self._ray = ray
        self._task = ray.remote(**{f"num_{unit.lower()}s": 1})(_remote)
        self._flying: dict[Any, int] = {}

    def submit(self, ticket: int, run: Run, cells: Sequence[Cell]) -> None:
        self._flying[self._task.remote(run, cells, _doubles())] = ticket

    def collect(self) -> tuple[int, Computed]:
        ready, _ = self._ray.wait(list(self._flying), num_returns=1)
        return self._flying.pop(ready[0]), self._ray.get(ready[0])


def _remote(run: Run, cells: Sequence[Cell], doubles: bool) -> Computed:
    if doubles:
        import jax

        jax.config.update("jax_enable_x64", True)
    return compute(run, cells)


def _doubles() -> bool:
    """Whether this process computes in 64-bit, as the workers then must; JAX may not be loaded."""
    jax = sys.modules.get("jax")
    if jax is None:
        return os.environ.get("JAX_ENABLE_X64", "").lower() in ("1", "true", "on", "yes")
    return bool(jax.config.jax_enable_x64)


@contextmanager
def _ray() -> Iterator[Any]:
    try:
        import ray
    except ImportError:
        raise InvalidInputError(
            "--backend ray needs Ray, which is not installed: pip install 'featlearn[cluster]'."
        ) from None
    ours = not ray.is_initialized()
    if ours:
        ray.init(log_to_driver=False, logging_level="error", include_dashboard=False)
    try:
        yield ray
    finally:
        if ours:
            ray.shutdown()
