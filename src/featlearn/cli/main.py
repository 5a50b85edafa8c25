"""The console script `featlearn`."""

from featlearn.cli._guard import guarded, leave


def main() -> None:
    """Run the command line to its exit code."""
    leave(guarded(_commands))


def _commands() -> None:
    """Libraries are loaded here, where Ctrl-C is heard already."""
    from featlearn.cli.app import app

    app()
