"""Ctrl-C and other signals that end a command.

While cells are computed a signal is an exception, so that they are given back to the store. At
other times it ends the process at once: an exception may come within the import of a library,
and some of them print it and go on.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

Handler = Callable[[int, FrameType | None], NoReturn]
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
    """A signal ends the process, and one word says so."""
    with _heard_by(_end):
        yield


@contextmanager
def kept_in(store: Path) -> Iterator[None]:
    """A signal becomes `Stopped`, which says where what is complete is kept. A second one kills."""
    sentence = f"Stopped. What is complete is kept in {store}; the same command goes on from there."
    heard = []

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        heard.append(number)
        for each in _HEARD:
            signal.signal(each, signal.SIG_DFL)
        raise Stopped(number, sentence)

    with _heard_by(stop):
        yield
    if heard:  # and lost, in code that catches everything
        raise Stopped(heard[0], sentence)


@contextmanager
def _heard_by(handler: Handler) -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in _HEARD}
    for number, present in before.items():
        if present is not signal.SIG_IGN:  # nohup
            signal.signal(number, handler)
    try:
        yield
    finally:
        for number, present in before.items():
            signal.signal(number, present)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    os.write(2, b"featlearn: Stopped.\n")
    os._exit(128 + number)
