"""Where the command line writes: results to stdout, everything else to stderr."""

import json
import math
import signal
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

from rich.console import Console

from featlearn.cli._stops import Stopped

WIDEST = 120  # columns beyond which a line is hard to follow


class QuietPipe(Console):
    """A console whose reader may leave: `featlearn list | head -1`."""

    def on_broken_pipe(self) -> NoReturn:
        raise Stopped(signal.SIGPIPE)


def output() -> Console:
    """Results, as they are: no markup and no highlighting in what a study wrote."""
    return _console(stderr=False)


def messages() -> Console:
    """Progress, warnings and errors."""
    return _console(stderr=True)


def say(sentence: str) -> None:
    """One sentence to the user, on stderr and not broken into lines."""
    messages().print(f"featlearn: {sentence}", soft_wrap=True)


def write_json(value: Any) -> None:
    """Pure JSON on stdout. What JSON cannot say, infinity, is the text that `float` reads."""
    ascii_only = sys.stdout.encoding.lower() != "utf-8"
    sys.stdout.write(json.dumps(_finite(value), indent=2, ensure_ascii=ascii_only) + "\n")


def _console(*, stderr: bool) -> Console:
    console = QuietPipe(stderr=stderr, markup=False, highlight=False, emoji=False)
    if console.width > WIDEST:
        console.width = WIDEST
    return console


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
