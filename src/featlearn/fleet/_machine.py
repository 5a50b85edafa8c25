"""Who has the machine: how many programs are compiled and run at once.

An accelerator runs one program at a time, and compilers go on beside it. On a CPU a core takes
one compiler or one program, provided that a decomposition takes one core as well. Where it takes
more, its threads wait actively for each other, and whatever runs beside them makes them take ten
times as long: then a program has the machine to itself.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import jax

from featlearn.memory import machine_bytes
from featlearn.processors import cores, one_core_each


class Need(NamedTuple):
    """What a program asks for: memory, and whether nothing may run beside it."""

    bytes: int = 0
    alone: bool = False


class Machine:
    """Turns of compilers and of running programs."""

    def __init__(self) -> None:
        self._turn = threading.Condition()
        self._compilers = 0
        self._running: list[Need] = []

    @contextmanager
    def compiling(self) -> Iterator[None]:
        """A turn of a compiler."""
        with self._turn:
            self._turn.wait_for(self._may_compile)
            self._compilers += 1
        try:
            yield
        finally:
            with self._turn:
                self._compilers -= 1
                self._turn.notify_all()

    @contextmanager
    def running(self, need: Need) -> Iterator[None]:
        """A turn of a program."""
        with self._turn:
            self._turn.wait_for(lambda: self._may_run(need))
            self._running.append(need)
        try:
            yield
        finally:
            with self._turn:
                self._running.remove(need)
                self._turn.notify_all()

    def _may_compile(self) -> bool:
        if _accelerated():
            return True
        if not one_core_each():
            return not self._running
        return self._has_a_core() and not any(other.alone for other in self._running)

    def _may_run(self, need: Need) -> bool:
        if _accelerated():
            return not self._running
        if need.alone or not one_core_each() or any(other.alone for other in self._running):
            return not self._running and not self._compilers
        together = need.bytes + sum(other.bytes for other in self._running)
        fits = not self._running or together < machine_bytes() // 2
        return self._has_a_core() and fits

    def _has_a_core(self) -> bool:
        return self._compilers + len(self._running) < cores()


def _accelerated() -> bool:
    return jax.default_backend() != "cpu"
