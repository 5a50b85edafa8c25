"""A file that is there whole or not at all."""

import errno
import os
from pathlib import Path

from featlearn.errors import FeatlearnError, InvalidInputError


def write_whole(path: Path, text: str) -> Path:
    """Write beside `path`, then rename: a reader never sees half a page."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(draft, "wb") as file:
            file.write(text.encode(errors="replace"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except (OSError, ValueError) as error:
        _discard(draft)
        raise _explained(path, error) from error
    return path


def _discard(draft: Path) -> None:
    try:
        draft.unlink(missing_ok=True)
    except (OSError, ValueError):
        return  # the reason why the page was not written is the one to tell


def _explained(path: Path, error: OSError | ValueError) -> FeatlearnError:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return FeatlearnError(
            f"No room left on the disk for {path}; free some, or choose another --out."
        )
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return InvalidInputError(
        f"Cannot write {path} ({reason}); choose with --out a folder that can be written."
    )
