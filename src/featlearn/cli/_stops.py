"""Ctrl-C and other signals that end a command, as one exception that is heard once."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

_HEARD = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class Stopped(BaseException):
    """A signal ends the command; its exit code is the shell's for that signal."""

    def __init__(self, number: int, sentence: str = "") -> None:
        super().__init__(number)
        self.code = 128 + number
        self.sentence = sentence


@contextmanager
def stoppable() -> Iterator[None]:
    """Turn the first signal into `Stopped`; a second one ends the process at once."""
    before = {number: signal.getsignal(number) for number in _HEARD}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:  # nohup
            signal.signal(number, _stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def kept_in(store: Path) -> Iterator[None]:
    """Say where a computation that is stopped here left what it completed."""
    try:
        yield
    except Stopped as stop:
        stop.sentence = (
            f"Stopped. What is complete is kept in {store}; the same command goes on from there."
        )
        raise


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    for heard in _HEARD:
        signal.signal(heard, signal.SIG_DFL)
    raise Stopped(number, "Stopped.")
