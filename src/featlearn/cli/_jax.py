"""JAX as the command line uses it: 64-bit, and with the programs that were compiled before.

Most of a short run is compilation. What was compiled is kept in the user's cache directory, apart
for each kind of processor, since a home directory may be shared by different machines.
"""

import hashlib
import os
import platform
import sys
import warnings
from pathlib import Path

from featlearn.errors import InvalidInputError
from featlearn.processors import take_one_core_each

_SETTINGS = {
    "jax_enable_x64": True,
    "jax_persistent_cache_min_compile_time_secs": 0.0,  # many small programs add up
}


def prepare_jax(*, cached: bool = True) -> None:
    """Settings for this process and those that it starts; JAX itself is not loaded here."""
    take_one_core_each()  # programs run beside each other, one on each core
    settings: dict[str, object] = {**_SETTINGS, "jax_enable_compilation_cache": cached}
    cache = compilation_cache() if cached else None
    if cache is not None:
        settings["jax_compilation_cache_dir"] = str(cache)
    for name, value in settings.items():
        os.environ[name.upper()] = str(value)
    if "jax" in sys.modules:
        import jax

        for name, value in settings.items():
            jax.config.update(name, value)
    # An entry that a killed process left half written is compiled again: no news for a user.
    warnings.filterwarnings("ignore", message="Error (reading|writing) persistent compilation")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def check_device() -> None:
    """Load JAX and see that it finds a device, before anything is computed."""
    import jax

    try:
        jax.devices()
    except Exception as error:  # an AssertionError where a platform's plugin is not installed
        reason = str(error).partition("\n")[0] or type(error).__name__
        chosen = os.environ.get("JAX_PLATFORMS")
        remedy = f"JAX_PLATFORMS is {chosen}: unset it" if chosen else "reinstall jax"
        raise InvalidInputError(f"JAX finds no device ({reason}). {remedy}.") from error


def compilation_cache() -> Path | None:
    """Where compiled programs are kept, or None where nothing can be written."""
    chosen = os.environ.get("JAX_COMPILATION_CACHE_DIR")
    try:
        place = Path(chosen) if chosen else _caches() / "featlearn" / f"jax-{_processor()}"
        place.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # no home, or no permission
        return None
    return place if os.access(place, os.W_OK | os.X_OK) else None


def _caches() -> Path:
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    return Path(chosen) if os.path.isabs(chosen) else Path.home() / ".cache"


def _processor() -> str:
    """A mark of the instructions that compiled programs may use."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        flags = next(line for line in lines if line.lower().startswith(("flags", "features")))
    except (OSError, StopIteration):
        flags = platform.processor()
    return hashlib.sha256(f"{platform.machine()} {flags}".encode()).hexdigest()[:8]
