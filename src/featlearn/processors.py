"""The processor's cores, and how many of them a decomposition takes."""

import os

_THREADS = "OPENBLAS_NUM_THREADS"  # of the LAPACK that jaxlib uses, read when it is loaded


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def take_one_core_each() -> None:
    """Let a decomposition take one core, unless the user said how many; before JAX is loaded."""
    os.environ.setdefault(_THREADS, "1")


def one_core_each() -> bool:
    """Whether a decomposition takes one core, so that several programs can run beside another."""
    return os.environ.get(_THREADS) == "1"
