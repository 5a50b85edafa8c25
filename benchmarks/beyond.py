"""The whole hyper-parameter grid of "beyond kernels" as one fleet, against a PyTorch loop.

    python benchmarks/beyond.py [--size quick|large] [--out FILE]

The grid has 5 learning rates × 4 weight decays × 5 seeds of the residual network on
`pair_products("slides")`, 800 epochs of N = 1000 in batches of 50 (large: m = 1000). PyTorch runs
a part of the grid, for a part of the epochs, one setting after another; its time for the whole is
that, times what was left out, and is labelled as extrapolated: nothing in such a loop gets faster
with more settings or epochs. Both must reach the same error on the part that both train.

Arithmetic of a training step on b rows with d inputs, k outputs and m neurons is counted as

    3 · 2bm (d + 1 + k + k + 1 + k)      W(x, 1), A h, V′(g, 1), A h′; twice as much backwards

and its share of the measured peak is that of matrix products in float32 at full precision.
"""

import argparse
import json
import sys
import time
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
from machine import circumstances, measured_peak

from featlearn import Task, seeds
from featlearn.fleet import fit_many
from featlearn.inputs import Hypercube
from featlearn.learners import Residual, original
from featlearn.samples import Sample
from featlearn.targets import pair_products

RATES = (0.05, 0.1, 0.2, 0.5, 1.0)
DECAYS = (2e-4, 5e-4, 1e-3, 2e-3)
INPUTS, OUTPUTS, BATCH = 30, 8, 50
NO_TORCH = "PyTorch is not installed here: `pip install torch` and run this again for the rival."


class Size(NamedTuple):
    """A grid, and the part of it that the rival runs."""

    width: int
    rows: int
    epochs: int
    seeds: int
    rival_settings: int
    rival_epochs: int


SIZES = {"quick": Size(100, 1000, 20, 1, 2, 5), "large": Size(1000, 1000, 800, 5, 2, 20)}


def work(size: Size, trainings: int) -> float:
    """Floating-point operations of the whole grid."""
    columns = INPUTS + 1 + OUTPUTS + OUTPUTS + 1 + OUTPUTS
    step = 3 * 2 * BATCH * size.width * columns
    return float(step) * (size.rows // BATCH) * size.epochs * trainings


def drawn(size: Size) -> tuple[Sample, Sample]:
    """A sample whose last fifth validates, and points that test."""
    task = Task(Hypercube(INPUTS), pair_products("slides"))
    train = task.sample(seeds.key("benchmark", "data", 0), size.rows + size.rows // 4)
    return train, task.sample(seeds.key("benchmark", "test", 0), 4096)


def ours(size: Size, sample: Sample, settings: Any, epochs: int) -> tuple[float, float, Any]:
    """Seconds of the first call, which compiles, and of a warm one; the fits."""
    grid = [
        Residual(size.width, optimiser=original(rate, decay), epochs=epochs)
        for rate, decay in settings
    ]
    keys = jax.random.split(seeds.key("benchmark", "start", 0), len(grid))
    found = []
    for _ in range(2):
        start = time.perf_counter()
        fits = jax.block_until_ready(fit_many(grid, sample, keys))
        found.append(time.perf_counter() - start)
    return found[0], found[1], fits


def theirs(size: Size, sample: Sample, test: Sample, settings: Any) -> dict[str, Any]:
    """The rival on its part of the grid, after one epoch to warm up."""
    import torch
    import torch_beyond as rival

    where = "cuda" if torch.cuda.is_available() else "cpu"
    x, y, x_test, y_test = (
        torch.tensor(np.asarray(a, np.float32), device=where)
        for a in (sample.x[: size.rows], sample.y[: size.rows], test.x, test.y)
    )
    draw = torch.Generator(device=where).manual_seed(0)
    rival.train(x, y, size.width, 0.1, 0.0, 1, draw)
    start = time.perf_counter()
    fits = [rival.train(x, y, size.width, *s, size.rival_epochs, draw) for s in settings]
    if where == "cuda":
        torch.cuda.synchronize()
    seconds = time.perf_counter() - start
    return {"device": where, "seconds": seconds,
            "errors": [rival.error(fit, x_test, y_test) for fit in fits]}  # fmt: skip


def measure(size: Size) -> dict[str, Any]:
    """Everything that is printed or written, as plain numbers."""
    sample, test = drawn(size)
    settings = [s for s in product(RATES, DECAYS) for _ in range(size.seeds)]
    first, warm, fits = ours(size, sample, settings, size.epochs)
    peak = measured_peak()
    needed = work(size, len(settings))
    found: dict[str, Any] = {
        "trainings": len(settings),
        "fleet_seconds": warm,
        "compilation": max(first - warm, 0.0),
        "gflops": needed / warm / 1e9,
        "share_of_peak": needed / warm / peak.float32,
        "best_validation": float(np.min(np.asarray(fits.stacked.record["validation"]))),
    }
    if find_spec("torch"):
        found["rival"] = _against(size, sample, test, len(settings), warm)
    return found


def _against(size: Size, sample: Sample, test: Sample, trainings: int, warm: float) -> Any:
    """The same part of the grid by both, and the rival's time for the whole, extrapolated."""
    part = [(0.2, 1e-3), (0.1, 5e-4)][: size.rival_settings]
    rival = theirs(size, sample, test, part)
    _, _, fits = ours(size, sample, part, size.rival_epochs)
    gaps = np.asarray(fits(test.x)) - np.asarray(test.y)
    errors = np.sum(gaps**2, axis=2).mean(axis=1)
    times = trainings / len(part) * size.epochs / size.rival_epochs
    return rival | {
        "trainings": len(part),
        "epochs": size.rival_epochs,
        "extrapolated_seconds": rival["seconds"] * times,
        "extrapolated_ratio": rival["seconds"] * times / warm,
        "our_errors": [float(e) for e in errors],
    }


def show(found: dict[str, Any]) -> list[str]:
    lines = [
        f"{found['trainings']} trainings of {found['size']['epochs']} epochs, "
        f"m = {found['size']['width']}, as one fleet on {found['device']}: "
        f"{found['fleet_seconds']:.1f} s, compiling {found['compilation']:.1f} s",
        f"{found['gflops']:.0f} Gflop/s, {found['share_of_peak']:.1%} of the measured peak",
    ]
    rival = found.get("rival")
    if rival is None:
        return [*lines, NO_TORCH]
    errors = zip(rival["errors"], rival["our_errors"], strict=True)
    return [
        *lines,
        f"PyTorch ({rival['device']}), {rival['trainings']} trainings of {rival['epochs']} epochs: "
        f"{rival['seconds']:.1f} s; the whole grid, extrapolated: "
        f"{rival['extrapolated_seconds']:.0f} s, {rival['extrapolated_ratio']:.0f} times the fleet",
        "Test errors after that part, PyTorch and ours: "
        + "; ".join(f"{a:.3f} and {b:.3f}" for a, b in errors),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=SIZES, default="quick", help="large is for a GPU")
    parser.add_argument("--out", type=Path, help="also write the numbers to this file, as JSON")
    given = parser.parse_args()
    size = SIZES[given.size]
    found = (
        circumstances("beyond.py", torch="torch")
        | {
            "size": size._asdict(),
        }
        | measure(size)
    )
    sys.stdout.write("\n".join(show(found)) + "\n")
    if given.out:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
