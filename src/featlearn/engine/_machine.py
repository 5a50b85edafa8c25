"""What a cell was computed with: versions of what matters, and the kind of device."""

import platform
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from featlearn.processors import cores

_PACKAGES = ("featlearn", "jax", "jaxlib", "numpy")


@cache
def versions() -> dict[str, str]:
    """Versions, read without importing anything."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "?"
    return found


def device() -> str:
    """The kind and number of devices. A study that did not load JAX has the processor."""
    jax = sys.modules.get("jax")
    if jax is None:
        return processor()
    devices = jax.devices()
    kind = str(devices[0].device_kind)
    if devices[0].platform == "cpu":
        return processor()
    return kind if len(devices) == 1 else f"{len(devices)} × {kind}"


def processor() -> str:
    """`x86_64, 2 cores`."""
    count = cores()
    return f"{platform.machine() or 'cpu'}, {count} core{'s' if count > 1 else ''}"
