"""Above the noise of the labels nothing remains as n grows."""

from typing import TYPE_CHECKING, Any

from featlearn.claims import AtMost, Finding, Role, judge
from featlearn.engine import Settings, Study
from featlearn.studies._judging import decay, median, select
from featlearn.studies.representations._cells import cell, run, sample_sizes, shape
from featlearn.studies.representations._judging import SOURCE, flags_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NAME = "representations/noise-floor"
RATE = AtMost(-0.25)
SMALL = AtMost(0.02)  # of E|f*| ≈ 0.7, at the largest n
FLOOR = 1e-9  # an excess that is exactly 0 has no logarithm


def grid(s: Settings) -> list[dict[str, Any]]:
    """Every noise level and n, and the start that is not symmetric."""
    d = s["d"]
    sizes = sample_sizes(d**2, s["multiples"])
    common = {"rows": max(sizes), "width": s["width"], "draws": s["draws"]}
    return [
        cell(learner, d, n, noise=noise, **common)
        for learner in ("one step", "one step, non-symmetric")
        for noise in s["noises"]
        for n in sizes
    ]


def judge_rows(rows: "pd.DataFrame") -> list[Finding]:
    """The rate at which the excess falls, and how small it is at the largest n."""
    rows = rows.assign(floored=rows["excess"].clip(lower=FLOOR))
    findings = []
    roles: dict[str, Role] = {"one step": "claim", "one step, non-symmetric": "control"}
    for learner, role in roles.items():
        for noise in sorted(rows["noise"].unique()):
            mine = select(rows, learner=learner, noise=noise)
            last = mine[mine["n"] == mine["n"].max()]
            floor = ("noise-floor",) if (mine["excess"] <= 0).any() else ()
            name = f"ζ = {noise:g}" if role == "claim" else f"non-symmetric start, ζ = {noise:g}"
            findings += [
                judge(NAME, f"{name}: slope of log excess L1 in log n",
                      decay(mine, "n", "floored").measured, RATE, role=role,
                      flags=flags_of(mine) + floor),
                judge(NAME, f"{name}: excess L1 at n = {int(last['n'].iloc[0])}",
                      median(last, "excess"), SMALL, role=role),
            ]  # fmt: skip
    return findings


def figure(rows: "pd.DataFrame") -> "Figure":
    """Excess over the noise level against n, with the document's rate."""
    from featlearn.report.figures import curve_panel, new_figure, panel_title

    words = {"one step": "", "one step, non-symmetric": "non-symmetric, "}
    named = rows.assign(
        series=[
            f"{words[name]}ζ = {noise:g}"
            for name, noise in zip(rows["learner"], rows["noise"], strict=True)
        ]
    )
    fig, (ax,) = new_figure(1, height=3.4)
    ax.set(xlabel="samples n", ylabel="L1 error − ζ")
    curve_panel(ax, named[named["excess"] > 0], "n", "excess", "series")
    ends = [float(rows["n"].min()), float(rows["n"].max())]
    start = float(rows.loc[rows["n"] == rows["n"].min(), "excess"].median())
    ax.plot(ends, [start, start * (ends[1] / ends[0]) ** -0.25], color="#66707a", linewidth=0.8,
            linestyle=(0, (4, 3)), zorder=1.2)  # fmt: skip
    panel_title(ax, f"d = {int(rows['d'].iloc[0])}; dashed: n^(−1/4)")
    return fig


_QUICK: dict[str, Any] = {
    "d": 16,
    "multiples": [2.0, 4.0, 8.0, 16.0, 32.0, 64.0],
    "noises": [0.5, 1.0],
    "width": 256,
    "draws": 8192,
}

STUDY = Study(
    name=NAME,
    source=SOURCE,
    statement=(
        "With labels of noise ±ζ the excess of the L1 error over ζ goes to 0 with *n*, no slower "
        "than n^(−1/4)."
    ),
    settings={
        "smoke": _QUICK | {"d": 8, "multiples": [4.0, 32.0], "width": 64, "draws": 2048},
        "quick": _QUICK,
        "full": _QUICK
        | {
            "d": 64,
            "multiples": [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0],
            "noises": [0.25, 0.5, 1.0],
            "width": 512,
        },
    },
    seeds={"smoke": 4, "quick": 10, "full": 10},
    grid=grid,
    shape=shape,
    run=run,
    judge=judge_rows,
    figure=figure,
    overlap=True,
    order=7,
    notes=f"""
**What it measures.** E|f(x) − y| − ζ with y = f*(x) ± ζ. For an error δ at x the mean over the
sign is max(|δ|, ζ), so that the excess is E(|δ| − ζ)₊, computed without noisy labels. Errors under
ζ count for nothing, which is why it falls much faster than the document's n^(−1/4), a bound.

**Control.** Without the symmetric start the network is not 0 before the step, its own output
drowns the labels, and the excess stays.

**What it cannot tell.** The error itself once it is under ζ; the stored `risk` has it.

**Example.** `featlearn run {NAME} --set noises=0.25`
""",
)
