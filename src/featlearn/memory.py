"""How much memory a program needs, read off it before it runs, and how much there is."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax

from featlearn.errors import InvalidInputError

CPU_BLOCK = 2**28  # more than this at once gains nothing on a CPU: its caches are far smaller


def member_bytes(function: Callable[..., Any], *arguments: Any) -> int:
    """An upper bound on the live bytes of `function(*arguments)`.

    Walks the traced program once and adds what is alive at each equation; XLA fuses
    and reuses buffers, so it needs at most about this much.
    """
    closed = jax.make_jaxpr(function)(*arguments)
    return _peak(closed.jaxpr)


def _peak(jaxpr: Any) -> int:
    last_use = {}
    for position, equation in enumerate(jaxpr.eqns):
        for variable in equation.invars:
            if not _literal(variable):
                last_use[variable] = position
    for variable in jaxpr.outvars:
        if not _literal(variable):
            last_use[variable] = len(jaxpr.eqns)
    alive = {v: _bytes(v) for v in (*jaxpr.invars, *jaxpr.constvars)}
    peak = total = sum(alive.values())
    for position, equation in enumerate(jaxpr.eqns):
        inner = max((_peak(j) for j in _inner(equation)), default=0)
        for variable in equation.outvars:
            alive[variable] = _bytes(variable)
            total += alive[variable]
        peak = max(peak, total + inner)
        for variable in (*equation.invars, *equation.outvars):
            used = not _literal(variable) and last_use.get(variable, position) <= position
            if used and variable in alive:
                total -= alive.pop(variable)
    return peak


def _inner(equation: Any) -> list[Any]:
    found = []
    for value in equation.params.values():
        for part in value if isinstance(value, tuple | list) else (value,):
            part = getattr(part, "jaxpr", part)
            if hasattr(part, "eqns"):
                found.append(part)
    return found


def _literal(variable: Any) -> bool:
    return hasattr(variable, "val")


def _bytes(variable: Any) -> int:
    aval = variable.aval
    size = getattr(aval, "size", 1)
    itemsize = getattr(getattr(aval, "dtype", None), "itemsize", 8)
    return int(size) * int(itemsize)


def device_budget() -> int:
    """Bytes that one block of work may take on one device."""
    device = jax.local_devices()[0]
    if device.platform == "cpu":
        return min(CPU_BLOCK, machine_bytes() // 2)
    return device_bytes() // 2


def device_bytes() -> int:
    """Memory that a program may take: the device's own, or on a CPU what the machine has free."""
    device = jax.local_devices()[0]
    if device.platform == "cpu":
        return machine_bytes()
    stats = device.memory_stats() or {}
    return int(stats.get("bytes_limit", 2**33))


def machine_bytes() -> int:
    """Memory of this machine that can be had now, caches of files included."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        available = next(line for line in lines if line.startswith("MemAvailable"))
        return int(available.split()[1]) * 1024
    except (OSError, StopIteration, ValueError, IndexError):
        return _free_pages()


def _free_pages() -> int:
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return 2**33


def check_memory(wanted: int, what: str, remedy: str, limit: int | None = None) -> None:
    """Refuse work that the machine cannot hold, before it starts."""
    limit = device_bytes() if limit is None else limit
    if wanted > limit:
        raise InvalidInputError(
            f"{what} needs about {wanted / 1e9:.3g} GB and {limit / 1e9:.3g} GB are free. {remedy}"
        )


def largest_block(bytes_at: Callable[[int], int], most: int, budget: int) -> int:
    """The largest block of at most `most` rows whose `bytes_at` fits the budget; at least 1.

    Bytes are taken to grow by the row, which two small blocks measure; where they grow faster
    the guess is halved until it fits.
    """
    if bytes_at(most) <= budget:
        return most
    one, two = bytes_at(1), bytes_at(min(2, most))
    block = max(1, min(most, 1 + (budget - one) // max(two - one, 1)))
    while block > 1 and bytes_at(block) > budget:
        block //= 2
    return block
