"""From whatever happens in a command to an exit code and at most one sentence.

0    done                       130  Ctrl-C        128 + n  another signal
1    a claim fails              2    a user's mistake       70   our own mistake
"""

import errno
import logging
import os
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from featlearn.cli._stops import Stopped, stoppable
from featlearn.errors import FeatlearnError

WRONG = 2
BROKEN_PIPE = 141
BUG = 70
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)
_log = logging.getLogger("featlearn")


def guarded(command: Callable[[], object]) -> int:
    """Run a command to its exit code."""
    try:
        with stoppable():
            return _exit_code(command)
    except Stopped as stop:
        return _told(stop.sentence, stop.code)
    except FeatlearnError as error:
        return _told(str(error), WRONG)
    except BrokenPipeError:
        return BROKEN_PIPE
    except OSError as error:
        full = error.errno in _FULL
        return _told(_unwritten(error), WRONG) if full else _told(_confession(error), BUG)
    except Exception as error:
        return _told(_confession(error), BUG)


def leave(code: int) -> NoReturn:
    """End the process; at once where a compiled program still runs, as after Ctrl-C.

    Taking the interpreter down around it could crash, after all that matters is written.
    """
    if threading.active_count() > 1 or not _flushed():
        os._exit(code)
    sys.exit(code)


def _flushed() -> bool:
    """Whether Python's own last flush will have nothing to complain of."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return False
    return True


def _exit_code(command: Callable[[], object]) -> int:
    try:
        command()
    except SystemExit as end:
        sys.stdout.flush()  # now, where a full disk can still be told
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    sys.stdout.flush()
    return 0


def _unwritten(error: OSError) -> str:
    what = error.filename or "The output"
    return f"{what} could not be written ({error.strerror}): free some space, or write elsewhere."


def _told(sentence: str, code: int) -> int:
    if sentence:
        from featlearn.cli._consoles import say

        with suppress(OSError, Stopped):
            say(sentence)
    return code


def _confession(error: Exception) -> str:
    if _log.isEnabledFor(logging.DEBUG):
        traceback.print_exception(error)
        return f"This is a bug in featlearn ({type(error).__name__}): please report it."
    return (
        f"This is a bug in featlearn ({type(error).__name__}): please report it with "
        f"{_kept(error) or 'what `featlearn --debug` shows before the same command'}."
    )


def _kept(error: Exception) -> str:
    """The path of a file that holds the traceback, if one could be written."""
    with suppress(OSError):
        handle, path = tempfile.mkstemp(prefix="featlearn-", suffix=".txt")
        with open(handle, "w", encoding="utf-8") as file:
            file.writelines(traceback.format_exception(error))
        return path
    return ""
