"""How fast trainings are: a fleet and one network, against PyTorch, and against the machine.

    python benchmarks/hierarchy.py [--networks 8] [--steps 200] [--out FILE]
    python benchmarks/hierarchy.py --gpu [--out FILE]

Toy (b) in d = 20: two layers of 40 neurons, a fresh batch of 1000 points for each network at every
step, Adam, float32. Times are of whole trainings, warm, taken in turns in this one process, over
their steps; compilation is reported apart. `train_work.py` counts what a step must do, and
`machine.py` measures what the machine could do. With --gpu also variants: matrix products in less
than float32, the points of one batch drawn at a time, the same points at every step.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jax
import numpy as np
from machine import Peak, circumstances, measured_peak
from timing import Times, in_turns
from train_work import TrainSize, share, work

import featlearn as fl
from featlearn.fleet import train_many
from featlearn.precision import double_precision
from featlearn.training import Optimiser

SIZE = TrainSize(d=20, n=1000, m=40)
ALPHA = 0.3
FLEET, ONE = "fleet", "one network"
TORCH, TORCH_FLEET = "PyTorch, one network", "PyTorch, batched"
GOALS = {FLEET: 0.7e-3, ONE: 0.03e-3}  # seconds a step on an H200, 512 networks in the fleet


def task() -> fl.Task:
    shifted = fl.inputs.Gaussian(SIZE.d, mean=np.ones(SIZE.d))
    return fl.Task(shifted, fl.targets.toy("correction", SIZE.d, ALPHA))


def training(networks: int, steps: int, **options: Any) -> Callable[[], Any]:
    """A fleet of trainings from random starts; `options` are those of `Training`."""
    precision = options.pop("precision", "highest")
    again = options.pop("again", False)
    learner = fl.learners.Dense(
        (SIZE.m, SIZE.m), steps=steps, batch=SIZE.n, precision=precision,
        optimiser=Optimiser("adam", rate=0.01),
    )  # fmt: skip
    keys = jax.random.split(jax.random.key(0), networks)
    one, weights, _ = double_precision(learner.prepared)(task(), keys[0])
    if again:
        one = replace(one, source=_Same(one.source))
    one = replace(one, **options)
    starts = jax.tree.map(lambda a: np.repeat(np.asarray(a)[None], networks, axis=0), weights)
    block = networks if jax.default_backend() != "cpu" else 1
    return lambda: train_many(one, starts, keys, block=block).params


class _Same:
    """The points of the first step at every step: what is left is the cost of training alone."""

    ahead = 1

    def __init__(self, source: Any) -> None:
        self.source = source

    def __call__(self, key: Any, step: Any) -> Any:
        return self.source(key, step * 0)


def rivals(networks: int, steps: int, gpu: bool) -> dict[str, Callable[[], Any]]:
    found: dict[str, Callable[[], Any]] = {
        FLEET: training(networks, steps),
        ONE: training(1, steps),
    }
    if gpu:
        found |= {
            f"{FLEET}, TF32": training(networks, steps, precision="default"),
            f"{FLEET}, drawn 1 at a time": training(networks, steps, ahead=1),
            f"{FLEET}, the same points": training(networks, steps, again=True, ahead=1),
            f"{ONE}, TF32": training(1, steps, precision="default"),
            f"{ONE}, drawn 64 at a time": training(1, steps, ahead=64),
            f"{ONE}, drawn 64, 4 steps unrolled": training(1, steps, ahead=64, unroll=4),
            f"{ONE}, drawn 1 at a time": training(1, steps, ahead=1),
        }
    if find_spec("torch"):
        from torch_hierarchy import train

        where = "cuda" if gpu else "cpu"
        few = max(steps // 4, 1)  # a step of the rival does not get cheaper with their number

        def torch_run(count: int) -> Callable[[], Any]:
            return lambda: train(count, SIZE.d, SIZE.m, SIZE.n, few, alpha=ALPHA, device=where)

        found[TORCH] = torch_run(1)
        if gpu:
            found[TORCH_FLEET] = torch_run(networks)
    return found


def per_step(name: str, times: Times, steps: int) -> dict[str, float]:
    of = max(steps // 4, 1) if name.startswith("PyTorch") else steps
    return {key: value / of for key, value in times.spread._asdict().items()}


def measure(networks: int, steps: int, gpu: bool, repetitions: int) -> dict[str, Any]:
    """Everything that is printed or written, as plain numbers."""
    peak = measured_peak()
    times = in_turns(rivals(networks, steps, gpu), repetitions)
    seconds = {name: per_step(name, t, steps) for name, t in times.items()}
    return {
        "peak": peak._asdict(),
        "work_of_one_step": work(SIZE)._asdict(),
        "networks": networks,
        "seconds_of_a_step": seconds,
        "compilation": {name: t.compilation for name, t in times.items()},
        "ratios": _ratios(seconds, networks),
        "share": {name: _share(name, s["median"], networks, peak) for name, s in seconds.items()},
    }


def _ratios(seconds: dict[str, dict[str, float]], networks: int) -> dict[str, float]:
    """How many times faster a network-step of the fleet is, and one network against PyTorch."""
    found = {f"{ONE} / {FLEET}": seconds[ONE]["median"] * networks / seconds[FLEET]["median"]}
    if TORCH in seconds:
        found[f"{TORCH} / {ONE}"] = seconds[TORCH]["median"] / seconds[ONE]["median"]
        found[f"{TORCH} / {FLEET}"] = seconds[TORCH]["median"] * networks / seconds[FLEET]["median"]
    if TORCH_FLEET in seconds:
        found[f"{TORCH_FLEET} / {FLEET}"] = (
            seconds[TORCH_FLEET]["median"] / seconds[FLEET]["median"]
        )
    return found


def _share(name: str, seconds: float, networks: int, peak: Peak) -> dict[str, float]:
    count = networks if name.startswith(FLEET) or name == TORCH_FLEET else 1
    return share(work(SIZE), seconds / count, peak)._asdict()


def show(found: dict[str, Any]) -> None:
    """The tables, as text."""
    peak = found["peak"]
    print(
        f"{found['device']}: {peak['float32'] / 1e9:.0f} GFLOP/s in float32, "
        f"{peak['bytes'] / 1e9:.0f} GB/s; {found['networks']} networks in the fleet"
    )
    for name, times in found["seconds_of_a_step"].items():
        part = found["share"][name]
        print(
            f"  {name:34} {times['median'] * 1e3:9.4f} ms a step "
            f"[{times['least'] * 1e3:.4f}, {times['most'] * 1e3:.4f}]  "
            f"{part['of_peak']:6.1%} of the arithmetic, {part['of_bandwidth']:6.1%} of the bytes; "
            f"compiled in {found['compilation'][name]:.1f} s"
        )
    for name, ratio in found["ratios"].items():
        print(f"  {name}: {ratio:.1f}, network-step for network-step")
    if TORCH not in found["seconds_of_a_step"]:
        print("  PyTorch is not installed here, so that rival is left out.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gpu", action="store_true", help="512 networks, and variants")
    parser.add_argument("--networks", type=int)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    networks = given.networks or (512 if given.gpu else 8)
    steps = given.steps or (1024 if given.gpu else 128)
    found = measure(networks, steps, given.gpu, given.repetitions)
    found |= circumstances("hierarchy.py", torch="torch") | {"goals": GOALS if given.gpu else {}}
    show(found)
    if given.out:
        given.out.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
