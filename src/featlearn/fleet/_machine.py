"""Who has the machine: programs run one at a time, and several may be compiled at once.

Two programs would share its memory, and two decompositions at once can wait for each other for
ever (see `decompositions`). On a CPU the compiler waits too: it would take a core from a program
whose threads wait for each other, and decompositions then took ten times as long.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import jax


class Machine:
    """Turns of compilers and of one running program."""

    def __init__(self) -> None:
        self._turn = threading.Condition()
        self._compilers = 0
        self._running = False

    @contextmanager
    def compiling(self) -> Iterator[None]:
        """Beside other compilers; on a CPU not beside a program."""
        with self._turn:
            self._turn.wait_for(lambda: _accelerated() or not self._running)
            self._compilers += 1
        try:
            yield
        finally:
            with self._turn:
                self._compilers -= 1
                self._turn.notify_all()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Alone among programs; on a CPU also after those who compile."""
        with self._turn:
            self._turn.wait_for(self._free)
            self._running = True
        try:
            yield
        finally:
            with self._turn:
                self._running = False
                self._turn.notify_all()

    def _free(self) -> bool:
        return not self._running and (_accelerated() or not self._compilers)


def _accelerated() -> bool:
    return jax.default_backend() != "cpu"
