"""What `doctor` looks at: each check gives facts, and a remedy where something is slow."""

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from featlearn.cli._jax import check_device, compilation_cache, prepare_jax
from featlearn.engine import processor, versions
from featlearn.errors import FeatlearnError

_MATMUL = {"cpu": 1024, "gpu": 8192}  # rows of a square matrix: a few tenths of a second
_SLOW_CPU = 20e9  # operations a second in float32, below which one core is at work, and shared
_SLOW_COMPILE = 3.0  # seconds for one small training; a free core needs about one


@dataclass(frozen=True)
class Fact:
    """Something measured or found, and what to do where it is slow."""

    name: str
    value: str
    remedy: str = ""


def check_all() -> list[Fact]:
    """Every fact, in the order in which they are shown."""
    return [fact for check in _CHECKS for fact in check()]


def _versions() -> Iterator[Fact]:
    for package, version in versions().items():
        yield Fact(package, version)


def _machine() -> Iterator[Fact]:
    from featlearn.memory import machine_bytes

    yield Fact("processor", processor())
    free = machine_bytes() / 1e9
    remedy = "Less than 2 GB of memory is free: end other programs, or use --tier smoke."
    yield Fact("memory", f"{free:.1f} GB free", remedy if free < 2 else "")
    disk = shutil.disk_usage(Path.cwd()).free / 1e9
    remedy = "Less than 0.1 GB of disk is free here: --store FILE can lie on another disk."
    yield Fact("disk", f"{disk:.1f} GB free here", remedy if disk < 0.1 else "")


def _devices() -> Iterator[Fact]:
    prepare_jax(cached=False)
    try:
        check_device()
    except FeatlearnError as error:
        yield Fact("devices", "none", str(error))
        return
    import jax

    devices = jax.devices()
    kinds = ", ".join(sorted({f"{d.platform} ({d.device_kind})" for d in devices}))
    remedy = ""
    if devices[0].platform == "cpu" and _nvidia():
        remedy = "There is an NVIDIA GPU that JAX does not see: pip install -U 'jax[cuda12]'."
    elif devices[0].platform == "cpu":
        remedy = "There is no GPU: --tier quick is made for this machine, --tier full is not."
    yield Fact("devices", f"{len(devices)} × {kinds}", remedy)
    yield from _precision()
    yield from _speed()


def _precision() -> Iterator[Fact]:
    import jax.numpy as jnp

    works = bool(jnp.asarray(1.0, "float64") + 1e-12 > 1)
    remedy = "" if works else "This device has no float64, which kernels need: JAX_PLATFORMS=cpu."
    yield Fact("float64", "works" if works else "does not work", remedy)


def _speed() -> Iterator[Fact]:
    import jax

    platform = jax.devices()[0].platform
    rate = _matmul_rate(_MATMUL.get(platform, _MATMUL["gpu"]))
    slow = platform == "cpu" and rate < _SLOW_CPU
    remedy = "Matrices multiply slowly: other programs use the cores, or OMP_NUM_THREADS is 1."
    yield Fact("matrix products", f"{rate / 1e9:,.0f} GFLOP/s in float32", remedy if slow else "")
    seconds = _compile_seconds()
    remedy = "Compilation is slow: it runs on one core, which other programs share."
    slow = seconds > _SLOW_COMPILE
    yield Fact("compilation", f"{seconds:.2f} s for a small training", remedy if slow else "")


def _cache() -> Iterator[Fact]:
    place = compilation_cache()
    if place is None:
        yield Fact(
            "compiled programs",
            "not kept",
            "Every command compiles again: make ~/.cache writable, or set XDG_CACHE_HOME.",
        )
        return
    sizes = [path.stat().st_size for path in place.iterdir() if path.is_file()]
    yield Fact("compiled programs", f"{len(sizes)} kept in {place}, {sum(sizes) / 1e6:.1f} MB")


def _matmul_rate(rows: int) -> float:
    """Operations a second, the best of three."""
    import jax
    import jax.numpy as jnp

    matrix = jnp.ones((rows, rows), "float32")
    product = jax.jit(jnp.matmul)
    seconds = min(_timed(lambda: product(matrix, matrix).block_until_ready()) for _ in range(4))
    return 2 * rows**3 / seconds


def _compile_seconds() -> float:
    """Seconds to compile gradient descent on a small network."""
    import jax
    import jax.numpy as jnp

    def loss(weights: tuple[jax.Array, jax.Array], x: jax.Array) -> jax.Array:
        return jnp.mean((jax.nn.relu(x @ weights[0]) @ weights[1] - x[:, 0]) ** 2)

    def step(weights: tuple[jax.Array, jax.Array], x: jax.Array) -> tuple[object, None]:
        slopes = jax.grad(loss)(weights, x)
        return jax.tree.map(lambda w, s: w - 0.1 * s, weights, slopes), None

    weights = (jnp.ones((8, 16), "float32"), jnp.ones(16, "float32"))
    train = jax.jit(lambda w, xs: jax.lax.scan(step, w, xs)[0])
    lowered = train.lower(weights, jnp.ones((10, 32, 8), "float32"))
    return _timed(lowered.compile)


def _timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def _nvidia() -> bool:
    return Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi") is not None


_CHECKS = (_versions, _machine, _devices, _cache)
