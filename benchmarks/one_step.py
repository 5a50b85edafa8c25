"""How fast `OneStep` is: as a fleet, fit by fit, against PyTorch, and against the machine.

    python benchmarks/one_step.py [--size quick|large] [--fits 64] [--out FILE]

Times are of repetitions taken in turns in this one process, warm; the first call, which compiles,
is reported apart. Ratios are taken repetition by repetition. Samples lie on the device before the
clock starts. `work.py` counts what a fit must do, `machine.py` measures what the machine could
do, and `torch_one_step.py` is the rival in PyTorch.
"""

import argparse
import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from machine import circumstances, measured_peak
from rich.console import Console
from rich.table import Table
from rivals import (
    EIGH,
    FLEET,
    LOOP,
    RIDGE,
    RIDGE_ONE,
    TORCH,
    agreement,
    our_rivals,
    problem,
    ridge_rivals,
    torch_rivals,
)
from timing import Spread, Times, in_turns
from work import Size, share, work

SIZES = {"quick": Size(32, 2048, 256), "large": Size(100, 10_000, 1000)}
WIDTH = 100  # columns, so that the tables look the same in a terminal and in a file
NO_TORCH = (
    "PyTorch is not installed here, so that rival is left out: "
    "`pip install torch` (a CPU build is enough) and run this again."
)


def measure(size: Size, fits: int, repetitions: int) -> dict[str, Any]:
    """Everything that is printed or written, as plain numbers."""
    peak = measured_peak()
    given = problem(size, fits)
    others = torch_rivals(given) if find_spec("torch") else {}
    times = in_turns(our_rivals(given) | others, repetitions)
    ridge = in_turns(ridge_rivals(size), 3 * repetitions)
    needed = work(size)
    return {
        "peak": peak._asdict(),
        "work_of_one_fit": needed._asdict(),
        "seconds": {name: _plain(t) for name, t in (times | ridge).items()},
        "ratios": _ratios(times) | _ratios_of_ridge(ridge),
        "share": {
            name: share(needed, t.spread.median / fits, peak)._asdict()
            for name, t in times.items()
            if name in (FLEET, LOOP) or peak.platform == _platform(name)
        },
        "agreement": {name: _agree(given, run()) for name, run in others.items()},
    }


def _platform(rival: str) -> str:
    return "gpu" if rival.endswith("cuda") else "cpu"


def _plain(times: Times) -> dict[str, float]:
    return times.spread._asdict() | {"compilation": times.compilation}


def _ratios(times: dict[str, Times]) -> dict[str, dict[str, float]]:
    """How many times as long the slower way takes as the fleet, and as ours one by one."""
    pairs = [(LOOP, FLEET)]
    pairs += [(name, ours) for name in times if name.startswith(TORCH) for ours in (FLEET, LOOP)]
    return {f"{slow} / {fast}": times[slow].over(times[fast])._asdict() for slow, fast in pairs}


def _ratios_of_ridge(times: dict[str, Times]) -> dict[str, dict[str, float]]:
    return {f"{RIDGE} / {b}": times[RIDGE].over(times[b])._asdict() for b in (EIGH, RIDGE_ONE)}


def _agree(given: Any, theirs: Any) -> dict[str, Any]:
    found = agreement(given, theirs)
    return found._asdict() | {"holds": found.holds}


def setting(size: Size, fits: int, repetitions: int) -> dict[str, Any]:
    """What a reader needs in order to run it again."""
    return circumstances("one_step.py", torch="torch") | {
        "size": size._asdict() | {"fits": fits, "repetitions": repetitions},
    }


def show(console: Console, found: dict[str, Any]) -> None:
    size, peak = found["size"], found["peak"]
    console.print(
        f"{size['fits']} fits of OneStep, d = {size['d']}, n = {size['n']}, "
        f"width {size['width']}; {found['device']}"
    )
    console.print(
        f"Measured peak: {_si(peak['float32'])}flop/s in float32, "
        f"{_si(peak['float64'])}flop/s in float64, {_si(peak['bytes'])}B/s\n"
    )
    console.print(_times_table(found))
    console.print(_ratios_table(found["ratios"]))
    for name, risks in found["agreement"].items():
        console.print(
            f"Risk, ours {risks['ours']:.5f}, {name} {risks['theirs']:.5f}: difference "
            f"{risks['difference']:+.5f} ± {risks['stderr']:.5f}, "
            + ("by chance." if risks["holds"] else "more than four standard errors.")
        )


def _times_table(found: dict[str, Any]) -> Table:
    names = ["", "median", "least … most", "compiling", "Gflop/s", "of peak", "of bandwidth"]
    table = Table(*names, box=None, pad_edge=False)
    for name, t in found["seconds"].items():
        ends = f"{_si(t['least'])}s … {_si(t['most'])}s"
        row = [name, f"{_si(t['median'])}s", ends, f"{_si(t['compilation'])}s"]
        if s := found["share"].get(name):
            row += [f"{s['gflops']:.1f}", f"{s['of_peak']:.0%}", f"{s['of_bandwidth']:.0%}"]
        table.add_row(*row)
    return table


def _ratios_table(ratios: dict[str, dict[str, float]]) -> Table:
    table = Table("\nratio", "\nmedian", "\nleast … most", box=None, pad_edge=False)
    for name, value in ratios.items():
        spread = Spread(**value)
        table.add_row(name, f"{spread.median:.2f}", f"{spread.least:.2f} … {spread.most:.2f}")
    return table


def _si(value: float) -> str:
    """1.2 G, 3.4 m: three digits and a prefix."""
    scales = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1.0, ""), (1e-3, "m"), (1e-6, "µ")]
    scale, prefix = next((s for s in scales if value >= s[0]), scales[-1])
    return f"{value / scale:.3g} {prefix}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=SIZES, default="quick", help="large is for a GPU")
    parser.add_argument("--fits", type=int, default=64)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--out", type=Path, help="also write the numbers to this file, as JSON")
    given = parser.parse_args()
    plan = (SIZES[given.size], given.fits, given.repetitions)
    found = setting(*plan) | measure(*plan)
    console = Console(width=WIDTH)
    show(console, found)
    if not find_spec("torch"):
        console.print(f"\n{NO_TORCH}")
    if given.out:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    if not all(risks["holds"] for risks in found["agreement"].values()):
        sys.exit("The rival does not compute the same: its times say nothing.")


if __name__ == "__main__":
    main()
