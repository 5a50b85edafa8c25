"""Joint training from a random start learns random well-conditioned targets, layer by layer not."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from featlearn.claims import AtLeast, AtMost, Finding, Role, judge
from featlearn.engine import Parameters, Settings, Study
from featlearn.studies._judging import flags_of, median, select
from featlearn.studies.hierarchy._cells import cell, run, shape
from featlearn.studies.hierarchy._sources import SLIDES
from featlearn.studies.hierarchy._training import before, looks_of, over_time, share

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NAME = "hierarchy/theorem-1"
MOST = AtLeast(0.9)  # nine of ten seeds
FALLS = AtMost(0.5)  # in the last third of the steps
JOINT, APART = "joint", "layerwise"
MODES: tuple[tuple[str, Role, str], ...] = (
    (JOINT, "claim", ""),
    (APART, "control", "layer by layer: "),
)


def slides_gaps(dim: int, levels: int) -> list[float]:
    """α_1 = 1 and α_{ℓ+1} = α_ℓ d^(−1/2^ℓ), as in the slides' theorem."""
    found = [1.0]
    for level in range(1, levels):
        found.append(found[-1] * dim ** -(0.5**level))
    return [round(alpha, 4) for alpha in found]


def grid(s: Settings) -> list[dict[str, Any]]:
    """Every depth in both modes, with its own number of steps and the level to be reached."""
    common = {name: s[name] for name in ("neurons", "batch", "rate", "draws", "kappa")}
    return [
        cell(mode, s["d"], slides_gaps(s["d"], len(k)), k=k, steps=steps, **common)
        | {"level": float(level)}
        for k, steps, level in zip(s["widths"], s["steps"], s["levels"], strict=True)
        for mode, _, _ in MODES
    ]


def shape_without_level(parameters: Parameters) -> Hashable:
    """The level is only compared with."""
    return shape({name: value for name, value in parameters.items() if name != "level"})


def judge_rows(rows: "pd.DataFrame") -> list[Finding]:
    """How many seeds reach the level of their depth, and whether the error still falls."""
    findings = []
    for depth, group in _by_depth(rows).items():
        for mode, role, name in MODES:
            mine = select(group, mode=mode)
            at, level = looks_of(mine), float(mine["level"].iloc[0])
            late = before(at, at[-1] * 2 / 3)
            mine = mine.assign(
                end=mine[f"risk_{at[-1]}"], fall=mine[f"risk_{at[-1]}"] / mine[f"risk_{late}"]
            )
            reached = (mine["state"] == "done") & (mine["end"] <= level)
            findings += [
                judge(NAME, f"L = {depth}, {name}part of the seeds with error ≤ {level:g} Var G",
                      share(reached), MOST, role=role, flags=flags_of(mine)),
                judge(NAME, f"L = {depth}, {name}error at the end / at step {late}",
                      median(mine, "fall"), FALLS, role=role, flags=flags_of(mine)),
                judge(NAME, f"L = {depth}, {name}error / variance", median(mine, "end"), None,
                      predicted=f"≤ {level:g}" if role == "claim" else "a stall"),
            ]  # fmt: skip
    return findings


def _by_depth(rows: "pd.DataFrame") -> "dict[int, pd.DataFrame]":
    depths = rows["gaps"].map(len)
    return {int(depth): rows[depths == depth] for depth in sorted(depths.unique())}


def figure(rows: "pd.DataFrame") -> "Figure":
    """The error over the steps for every depth, jointly and layer by layer."""
    import pandas as pd

    from featlearn.report.figures import curve_panel, new_figure, panel_title

    depths = _by_depth(rows)
    fig, axes = new_figure(len(depths), height=3.4, share_y=True)
    for ax, (depth, group) in zip(axes, depths.items(), strict=True):
        curves = [
            over_time(select(group, mode=mode), {name: "risk"})
            for mode, name in ((JOINT, "joint"), (APART, "layer by layer"))
        ]
        ax.set(xlabel="step", ylabel="error / variance")
        curve_panel(ax, pd.concat(curves), "step", "value", "series")
        ax.axhline(group["level"].iloc[0], color="#66707a", linewidth=0.8, linestyle=(0, (4, 3)))
        panel_title(ax, f"L = {depth}, d = {int(group['d'].iloc[0])}, degree {2**depth}")
    return fig


_QUICK: dict[str, Any] = {
    "d": 20,
    "widths": [[4, 2]],
    "steps": [3000],
    "levels": [1e-4],
    "kappa": 1.0,
    "neurons": 40,
    "batch": 250,
    "rate": 0.01,
    "draws": 16384,
}

STUDY = Study(
    name=NAME,
    source=SLIDES,
    statement=(
        "Joint training from a random start brings the error on random well-conditioned targets "
        "of degree 2ᴸ under any level on nine of ten seeds, and it keeps falling with the steps."
    ),
    settings={
        "smoke": _QUICK
        | {
            "d": 8,
            "widths": [[2, 1]],
            "steps": [600],
            "levels": [0.1],
            "neurons": 12,
            "batch": 100,
            "draws": 4096,
        },
        "quick": _QUICK,
        "full": _QUICK
        | {
            "d": 40,
            "widths": [[6, 3], [6, 3, 2], [6, 3, 2, 1]],
            "steps": [20000, 60000, 100000],
            "levels": [1e-5, 1e-5, 1e-4],
            "neurons": 64,
            "batch": 1000,
            "draws": 131072,
        },
    },
    seeds={"smoke": 4, "quick": 10, "full": 20},
    grid=grid,
    shape=shape_without_level,
    run=run,
    judge=judge_rows,
    figure=figure,
    overlap=True,
    order=2,
    notes=f"""
**What it measures.** E(f − G)²/Var G on fresh points, for targets with the slides' widths
k_ℓ ≈ d^(1/2^ℓ) and gaps α_(ℓ+1) = α_ℓ d^(−1/2^ℓ), frames drawn uniformly, x ~ N(0, I). Every layer
has 40 neurons with heads of one sign and is trained by Adam on fresh points, from a random start
of scale 0.3, all layers at once. No stage, regulariser or distillation is used: this is the
stronger reading of Theorem 1, for the algorithm of the paper see `hierarchy/algorithm-1`.

**How it is judged.** The theorem names no rate: the levels and the nine of ten seeds are those of
the claim, and the share is about these seeds and has no interval. That the error keeps falling is
judged by the last third of the steps.

**The control.** Layer by layer, on the same points, the same network stalls.

**The full tier** (an H200, 20 seeds; `benchmarks/results`). L = 2: every seed is under 1e-5, at
3.6e-9 of the variance. L = 3, d = 40, 60 000 steps: no seed is under 1e-5, the median is 6.4e-4
[3.7e-4, 6.3e-3] and still falls (by a factor of 0.016 over the last third), so the claim *fails*
at these steps. L = 4: 11 of 20 seeds diverge at this learning rate, and the others stay at half of
the variance. Learning rates were chosen on L = 2 and never searched for L = 3 and 4; a small
experiment elsewhere reached 1e-6 with L = 3, d = 20. Until they are searched, this is a verdict on
our training and not on the theorem.

**Three layers and more** are in the full tier. Degree 8 of a Gaussian has heavy tails, and 10 000
steps of 250 points at d = 20, all that two cores can do here, brought a pilot's errors to between
2e-4 and 2e-2 of the variance, still falling: too few for nine of ten seeds under 1e-3.

**What it cannot tell.** How the number of steps grows with d; and the batches are small, so the
error is limited by the learning rate at the end, which falls by drops to a hundredth.

**Example.** `featlearn run {NAME} --set kappa=2`
""",
)
