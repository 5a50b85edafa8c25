"""How fast Gram matrices are: against neural-tangents, with size, and against the memory.

    python benchmarks/kernels.py [--neural-tangents PYTHON] [--n 3000] [--d 30] [--out FILE]
    python benchmarks/kernels.py --gpu [--out FILE]

The kernel is the NTK of a ReLU network with two hidden layers and biases, K(x, x), warm. Rivals
are taken in turns in this one run, and ratios repetition by repetition. neural-tangents runs in
a process of its own: PYTHON is the interpreter of the environment that
`neural_tangents_gram.py` describes. Matrices count as equal if no entry differs by more than
1e-5 √(K(x, x) K(y, y)); the rival's diagonal, where its float32 has half the digits, is stated
and not judged.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import log
from pathlib import Path
from statistics import linear_regression
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from gram_work import GramSize, share, work
from machine import Peak, circumstances, measured_peak
from rich.console import Console
from rich.table import Table
from timing import Spread, Times, in_turns

from featlearn.kernels import NTK, _row_blocks

WEIGHT, BIAS, DEPTH = 1.5, 0.1, 2
OURS, OURS_DOUBLE, THEIRS = "float32", "float64", "neural-tangents"
EQUAL = 1e-5
GROWTH = {  # what grows, from a matrix of n = 3000, d = 30 and two hidden layers
    "n": [GramSize(n, 30, DEPTH) for n in (1000, 2000, 4000, 8000)],
    "d": [GramSize(3000, d, DEPTH) for d in (30, 100, 300, 1000)],
    "depth": [GramSize(3000, 30, depth) for depth in (1, 2, 4, 8)],
}
ON_GPU = GramSize(32_768, 30, DEPTH)
SIDES = (1024, 2048, 4096)  # of tiles on a GPU; the library takes TILE_SIDE_ELSEWHERE
ROWS = (128, 512)  # of blocks, without symmetry: kernel(x, x)
WIDTH = 100
ALONE = (
    "neural-tangents is left out: give --neural-tangents the Python of an environment for it "
    "(benchmarks/neural_tangents_gram.py says how to make one)."
)


def points(size: GramSize) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(size.n, size.d)).astype(np.float32)


def gram(size: GramSize, dtype: str) -> Callable[[], Any]:
    """K(x, x), with x on the device."""
    kernel, x = NTK(size.depth, WEIGHT, BIAS), jnp.asarray(points(size))
    return lambda: kernel(x, dtype=dtype)


def on_cpu(size: GramSize, python: str | None, repetitions: int) -> dict[str, Any]:
    """Everything that is printed or written for a CPU, as plain numbers."""
    peak = measured_peak()
    rivals = {OURS: gram(size, OURS), OURS_DOUBLE: gram(size, OURS_DOUBLE)}
    exact = np.asarray(rivals[OURS_DOUBLE]())
    errors = {OURS: difference(rivals[OURS](), exact)}
    with neural_tangents(size, python) as theirs:
        if theirs:
            rivals[THEIRS] = theirs.run
            matrix = theirs.matrix()
            errors[THEIRS] = difference(matrix, exact)
            errors[f"{OURS} − {THEIRS}"] = difference(rivals[OURS](), matrix)
        del exact
        times = in_turns(rivals, repetitions)
    return {
        "peak": peak._asdict(),
        "seconds": {name: _plain(t) for name, t in times.items()},
        "ratios": {
            f"{slow} / {OURS}": t.over(times[OURS])._asdict()
            for slow, t in times.items()
            if slow != OURS
        },
        "errors": errors,
        "share": _share(size, times[OURS], peak),
        "growth": {name: grown(sizes) for name, sizes in GROWTH.items()},
    }


def grown(sizes: list[GramSize]) -> dict[str, Any]:
    """Median seconds in float32, and the slope of their logarithm, at each end and overall."""
    times = in_turns({str(i): gram(s, OURS) for i, s in enumerate(sizes)}, 5)
    seconds = [t.spread.median for t in times.values()]
    field = next(f for f in GramSize._fields if len({getattr(s, f) for s in sizes}) > 1)
    at = [getattr(s, field) for s in sizes]
    slope = linear_regression([log(v) for v in at], [log(v) for v in seconds]).slope
    last = log(seconds[-1] / seconds[-2]) / log(at[-1] / at[-2])
    return {"at": at, "seconds": seconds, "slope": slope, "last_slope": last}


def on_gpu(size: GramSize, repetitions: int) -> dict[str, Any]:
    """The matrix against the time of writing it, in several ways of cutting it."""
    peak = measured_peak()
    times = in_turns(tiled(size), repetitions)
    writing = 4 * size.n**2 / peak.bytes
    near = points(size)[:512]
    near[256:] = near[:256] * np.float32(1 + 1e-4)
    kernel = NTK(size.depth, WEIGHT, BIAS)
    chosen = f"tiles of {_row_blocks.TILE_SIDE_ELSEWHERE}"
    return {
        "peak": peak._asdict(),
        "writing": writing,
        "seconds": {name: _plain(t) for name, t in times.items()},
        "ratios": {
            f"{name} / writing": Spread(*(v / writing for v in t.spread))._asdict()
            for name, t in times.items()
        },
        "errors": {OURS: difference(kernel(near, dtype=OURS), np.asarray(kernel(near)))},
        "chosen": chosen,
        "share": _share(size, times[chosen], peak),
    }


def tiled(size: GramSize) -> dict[str, Callable[[], Any]]:
    """K(x, x) by tiles of its lower triangle, and by blocks of rows in full."""
    x, kernel = jnp.asarray(points(size)), NTK(size.depth, WEIGHT, BIAS)
    programs = {
        f"tiles of {side}": compiled(
            lambda x: kernel(x, dtype=OURS), x, TILE_SIDES={}, TILE_SIDE_ELSEWHERE=side
        )
        for side in SIDES
    }
    for rows in ROWS:  # a GPU takes 8 times this many elements in a block
        programs[f"blocks of {rows} rows"] = compiled(
            lambda x: kernel(x, x, dtype=OURS), x, BLOCK_ELEMENTS=rows * size.n // 8
        )
    return programs


def compiled(function: Callable[[Any], Any], x: Any, **sizes: Any) -> Callable[[], Any]:
    """A program with these sizes of tiles or blocks: they are read when it is compiled."""
    usual = {name: getattr(_row_blocks, name) for name in sizes}
    jax.clear_caches()
    try:
        for name, value in sizes.items():
            setattr(_row_blocks, name, value)
        program = jax.jit(function).lower(x).compile()
    finally:
        for name, value in usual.items():
            setattr(_row_blocks, name, value)
        jax.clear_caches()
    return lambda: program(x)


def difference(one: Any, other: Any) -> dict[str, float]:
    """The largest |one − other| / √(K(x, x) K(y, y)), off the diagonal and on it."""
    one, other = np.asarray(one), np.asarray(other)
    diagonal = np.diag(other).astype(np.float64)
    root = np.sqrt(diagonal)
    worst = 0.0
    for i, row in enumerate(one):
        gaps = np.abs(row.astype(np.float64) - other[i]) / (root[i] * root)
        gaps[i] = 0.0
        worst = max(worst, float(gaps.max()))
    return {"pairs": worst, "diagonal": float(np.max(np.abs(np.diag(one) / diagonal - 1)))}


def equal(errors: dict[str, dict[str, float]]) -> bool:
    return max(e["pairs"] for e in errors.values()) < EQUAL > errors[OURS]["diagonal"]


class Rival:
    """neural-tangents in its process, asked line by line."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self.process, self.folder = process, folder

    def ask(self, line: str) -> None:
        if self.process.stdin and self.process.stdout:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        if not answer.startswith("done"):
            errors = (self.folder / "errors").read_text()[-2000:]
            sys.exit(f"neural-tangents stopped; the end of its errors:\n{errors}")

    def run(self) -> None:
        self.ask("run")

    def matrix(self) -> np.ndarray:
        self.ask(f"save {self.folder / 'gram.npy'}")
        return np.load(self.folder / "gram.npy")


@contextmanager
def neural_tangents(size: GramSize, python: str | None) -> Iterator[Rival | None]:
    if python is None:
        yield None
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "points.npy", points(size))
        given = {
            "points": str(folder / "points.npy"),
            "depth": size.depth,
            "weight_variance": WEIGHT,
            "bias_variance": BIAS,
        }
        script = str(Path(__file__).with_name("neural_tangents_gram.py"))
        with (folder / "errors").open("w") as errors:
            process = subprocess.Popen(
                [python, script, json.dumps(given)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        rival = Rival(process, folder)
        ready = process.stdout.readline() if process.stdout else ""
        if not ready.startswith("ready"):
            sys.exit(f"{python} has no neural-tangents:\n{(folder / 'errors').read_text()[-2000:]}")
        try:
            yield rival
        finally:
            if process.stdin:
                process.stdin.close()
            process.wait(timeout=60)


def setting(size: GramSize, repetitions: int) -> dict[str, Any]:
    """What a reader needs in order to run it again."""
    return circumstances("kernels.py") | {
        "size": size._asdict() | {"repetitions": repetitions},
        "work": work(size)._asdict(),
    }


def _plain(times: Times) -> dict[str, float]:
    return times.spread._asdict() | {"compilation": times.compilation}


def _share(size: GramSize, times: Times, peak: Peak) -> dict[str, float]:
    return share(work(size), times.spread.median, peak)._asdict()


def show(console: Console, found: dict[str, Any]) -> None:
    size, peak, part = found["size"], found["peak"], found["share"]
    console.print(
        f"K(x, x) of NTK({size['depth']}), n = {size['n']}, d = {size['d']}; {found['device']}\n"
        f"Measured peak: {_si(peak['float32'])}flop/s in float32, "
        f"{_si(peak['float64'])}flop/s in float64, {_si(peak['bytes'])}B/s\n"
        f"In float32: {part['gflops']:.3g} Gflop/s ({part['of_peak']:.0%} of the peaks), "
        f"{part['gigabytes']:.3g} GB/s ({part['of_bandwidth']:.0%} of the bandwidth)\n"
    )
    if "writing" in found:
        console.print(f"Writing the matrix at that bandwidth: {_si(found['writing'])}s\n")
    times = Table("", "median", "least … most", "compiling", box=None, pad_edge=False)
    for name, t in found["seconds"].items():
        ends = f"{_si(t['least'])}s … {_si(t['most'])}s"
        times.add_row(name, f"{_si(t['median'])}s", ends, f"{_si(t['compilation'])}s")
    console.print(times)
    ratios = Table("\nratio", "\nmedian", "\nleast … most", box=None, pad_edge=False)
    for name, value in found["ratios"].items():
        spread = Spread(**value)
        ratios.add_row(name, f"{spread.median:.2f}", f"{spread.least:.2f} … {spread.most:.2f}")
    console.print(ratios)
    console.print()
    for name, error in found["errors"].items():
        against = "" if THEIRS in name and OURS in name else " − float64"
        console.print(
            f"{name}{against}: at most {error['pairs']:.1e} of √(K(x, x) K(y, y)), "
            f"{error['diagonal']:.1e} on the diagonal"
        )
    for name, growth in found.get("growth", {}).items():
        pairs = zip(growth["at"], growth["seconds"], strict=True)
        shown = ", ".join(f"{_si(seconds)}s at {at}" for at, seconds in pairs)
        console.print(
            f"\nWith {name}: {shown}; slope {growth['slope']:.2f}, "
            f"{growth['last_slope']:.2f} between the last two"
        )


def _si(value: float) -> str:
    """1.2 G, 3.4 m: three digits and a prefix."""
    scales = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1.0, ""), (1e-3, "m"), (1e-6, "µ")]
    scale, prefix = next((s for s in scales if value >= s[0]), scales[-1])
    return f"{value / scale:.3g} {prefix}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--neural-tangents", metavar="PYTHON", help="interpreter with the rival")
    parser.add_argument("--gpu", action="store_true", help="n = 32 768 against memory bandwidth")
    parser.add_argument("--n", type=int, default=3000)
    parser.add_argument("--d", type=int, default=30)
    parser.add_argument(
        "--repetitions", type=int, help="9, and 5 on a GPU, where nothing else runs"
    )
    parser.add_argument("--out", type=Path, help="also write the numbers to this file, as JSON")
    given = parser.parse_args()
    if given.gpu and jax.default_backend() == "cpu":
        parser.error("--gpu needs a GPU, and JAX sees none: install jax[cuda12] or leave it out.")
    repetitions = given.repetitions or (5 if given.gpu else 9)
    size = ON_GPU if given.gpu else GramSize(given.n, given.d, DEPTH)
    with jax.enable_x64(True):
        found = setting(size, repetitions) | (
            on_gpu(size, repetitions)
            if given.gpu
            else on_cpu(size, given.neural_tangents, repetitions)
        )
    console = Console(width=WIDTH)
    show(console, found)
    if not given.gpu and given.neural_tangents is None:
        console.print(f"\n{ALONE}")
    if given.out:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    if not equal(found["errors"]):
        sys.exit(f"The matrices differ by more than {EQUAL}: their times say nothing.")


if __name__ == "__main__":
    main()
