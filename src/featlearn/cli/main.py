"""The console script `featlearn`."""

import sys
from io import TextIOWrapper

from featlearn.cli._guard import guarded, leave


def main() -> None:
    """Run the command line to its exit code."""
    leave(guarded(_commands))


def _commands() -> None:
    """Libraries are loaded here, where Ctrl-C is heard already."""
    from featlearn.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal may not know ≤ and −
    app()
