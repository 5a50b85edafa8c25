"""What the machine can do at best: arithmetic in float32 and float64, and bytes, a second.

Each peak is the best of several tries, by JAX and on a CPU also by NumPy: without the second, a
slow product of our own compiler would pass for the machine's peak.
"""

import os
import platform
import shlex
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from timing import seconds

from featlearn.engine import versions

TRIES = 7


class Peak(NamedTuple):
    """Floating-point operations a second, and bytes a second (reads and writes together)."""

    platform: str
    float32: float
    float64: float
    bytes: float


def measured_peak() -> Peak:
    with jax.enable_x64(True):
        backend = jax.default_backend()
        return Peak(backend, _product("float32"), _product("float64"), _copy())


def device() -> str:
    """What the fits run on, in words."""
    first = jax.devices()[0]
    if first.platform != "cpu":
        return str(first.device_kind)
    return f"{platform.machine()}, {os.cpu_count()} cores"


def circumstances(script: str, **rivals: str) -> dict[str, Any]:
    """What a reader needs in order to run it again; `rivals`: module = package, if installed."""
    installed = {package: version(package) for name, package in rivals.items() if find_spec(name)}
    return {
        "command": command(script),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions() | installed,
        "device": device(),
    }


def command(script: str) -> str:
    """What was typed, without the paths of this machine."""
    words = sys.argv[1:]
    for option, name in (("--out", "FILE"), ("--neural-tangents", "PYTHON")):
        if option in words[:-1]:
            words[words.index(option) + 1] = name
    return shlex.join(["python", f"benchmarks/{script}", *words])


def _product(dtype: str) -> float:
    cpu = jax.default_backend() == "cpu"
    n = 2048 if cpu else 8192
    a = np.random.default_rng(0).standard_normal((n, n)).astype(dtype)
    on_device = jnp.asarray(a)
    multiply = jax.jit(lambda b: jnp.matmul(b, b, precision="highest"))
    fastest = _fastest(lambda: multiply(on_device))
    if cpu:
        fastest = min(fastest, _fastest(lambda: a @ a))
    return 2 * n**3 / fastest


def _copy() -> float:
    """Into memory that is already there: a fresh array costs a CPU its page faults."""
    count = 2**26 if jax.default_backend() == "cpu" else 2**29
    negate = jax.jit(jnp.negative, donate_argnums=0)  # a plain copy may be optimised away
    held = [jnp.zeros(count, jnp.float32)]

    def run() -> Any:
        held[0] = negate(held[0])
        return held[0]

    fastest = _fastest(run)
    if jax.default_backend() == "cpu":
        source, target = np.zeros(count, np.float32), np.ones(count, np.float32)
        fastest = min(fastest, _fastest(lambda: np.copyto(target, source)))
    return 8 * count / fastest


def _fastest(run: Callable[[], Any]) -> float:
    seconds(run)
    return min(seconds(run) for _ in range(TRIES))
