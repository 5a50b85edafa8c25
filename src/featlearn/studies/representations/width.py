"""How many neurons are enough."""

from typing import TYPE_CHECKING, Any

from featlearn.claims import AtMost, Finding, Measured, judge
from featlearn.engine import Settings, Study
from featlearn.studies._judging import decay, median, select
from featlearn.studies.representations._cells import cell, run, shape
from featlearn.studies.representations._judging import SOURCE, flags_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NAME = "representations/width"
RATE = AtMost(-1.0)  # the bound r^p/m is one of the squared error
LIMITED = 2.0  # a width is limiting while its median error is over twice that of the widest
SAYS = 0.5  # the bound r^p/m says little while it is not well under E f*² = 1
P = 3


def grid(s: Settings) -> list[dict[str, Any]]:
    """Every width and number of directions; no step at r = 1."""
    d = s["d"]
    n = int(s["multiple"] * d**2)
    common = {"rows": n, "noise": s["noise"], "draws": s["draws"], "form": "multi"}
    return [
        cell("one step", d, n, width=m, r=r, step=step, **common)
        for r, step in (*((r, 1.0) for r in s["ranks"]), (1, 0.0))
        for m in s["widths"]
    ]


def limited(rows: "pd.DataFrame") -> "pd.DataFrame":
    """The rows for which the bound is at most ½, and whose width limits the error."""
    medians = rows.groupby("width")["risk"].median()
    few = medians.index[medians > LIMITED * medians.loc[medians.index.max()]]
    return rows[rows["width"].isin(few) & (rows["r"] ** P / rows["width"] <= SAYS)]


def judge_rows(rows: "pd.DataFrame") -> list[Finding]:
    """The exponent over those widths that limit the error."""
    good = rows[rows["step"] > 0]
    findings = []
    for r in sorted(good["r"].unique()):
        mine = select(good, r=r)
        few = limited(mine)
        findings.append(
            judge(NAME, f"r = {r}: slope of log squared error in log m, while width limits",
                  _slope(few), RATE,
                  flags=(*flags_of(few), "width-limited"),
                  note=f"{few['width'].nunique()} of {mine['width'].nunique()} widths are limiting")
        )  # fmt: skip
        if len(few):
            bounded = few.assign(product=few["risk"] * few["width"] / r**P)
            findings.append(
                judge(NAME,
                      f"r = {r}: largest median of squared error · m/r^{P}, while width limits",
                      _largest(bounded), None, predicted="bounded")
            )  # fmt: skip
        widest = mine[mine["width"] == mine["width"].max()]
        findings.append(
            judge(NAME, f"r = {r}: squared error at m = {int(widest['width'].iloc[0])}",
                  median(widest, "risk"), None, predicted="the limit that n sets")
        )  # fmt: skip
    still = rows[rows["step"] == 0]
    findings.append(
        judge(NAME, "step of size 0: slope of log squared error in log m",
              decay(still, "width", "risk").measured, RATE, role="control", flags=flags_of(still))
    )  # fmt: skip
    return findings


def _slope(few: "pd.DataFrame") -> Measured:
    """Where the samples limit every width but one, or all, nothing is known of the slope."""
    if few["width"].nunique() < 2:
        return Measured(float("nan"), float("-inf"), float("inf"), 0)
    return decay(few, "width", "risk").measured


def _largest(rows: "pd.DataFrame") -> Measured:
    """The median of that width at which it is largest."""
    width = rows.groupby("width")["product"].median().idxmax()
    return median(rows[rows["width"] == width], "product")


def figure(rows: "pd.DataFrame") -> "Figure":
    """Error against width, one curve for each r, with the slope of the bound."""
    from featlearn.report.figures import curve_panel, new_figure, panel_title

    named = rows.assign(
        series=[
            f"r = {r}" if step > 0 else "step of size 0"
            for r, step in zip(rows["r"], rows["step"], strict=True)
        ]
    )
    fig, (ax,) = new_figure(1, height=3.4)
    ax.set(xlabel="width m", ylabel="squared error")
    curve_panel(ax, named, "width", "risk", "series")
    ends = [float(rows["width"].min()), float(rows["width"].max())]
    first = float(named.loc[(named["width"] == ends[0]) & (named["r"] == 1), "risk"].median())
    ax.plot(ends, [first, first * ends[0] / ends[1]], color="#66707a", linewidth=0.8,
            linestyle=(0, (4, 3)), zorder=1.2)  # fmt: skip
    where = f"d = {int(rows['d'].iloc[0])}, n = {int(rows['n'].iloc[0])}"
    panel_title(ax, f"{where}; dashed: 1/m")
    return fig


_QUICK: dict[str, Any] = {
    "d": 16,
    "multiple": 64.0,
    "ranks": [1, 2],
    "widths": [8, 16, 32, 64, 128, 256, 512],
    "noise": 0.3,
    "draws": 8192,
}

STUDY = Study(
    name=NAME,
    source=SOURCE,
    statement=(
        "A very small network is enough, *m* ≳ rᵖ: the squared error falls at least like rᵖ/*m* "
        "until the samples limit it."
    ),
    settings={
        "smoke": _QUICK | {"d": 8, "ranks": [1], "widths": [8, 32, 128], "draws": 2048},
        "quick": _QUICK,
        "full": _QUICK
        | {
            "d": 32,
            "multiple": 256.0,
            "ranks": [1, 2, 3],
            "widths": [8, 16, 32, 64, 128, 256, 512, 1024],
        },
    },
    seeds={"smoke": 4, "quick": 10, "full": 10},
    grid=grid,
    shape=shape,
    run=run,
    judge=judge_rows,
    figure=figure,
    overlap=True,
    order=6,
    notes=f"""
**What it measures.** The exponent of the squared error against the width, over the widths that
limit it: those whose median error is more than {LIMITED:g} times that of the widest network. They
carry the flag *width-limited*; beyond them the number of samples sets the error and the curve is
flat. The document bounds the L1 excess by √(rᵖ/m), which is rᵖ/m for the squared error. Widths at
which that is over ½ are left out: *m* ≳ rᵖ is its condition, and no error exceeds 1.

**A judgement that was changed.** At first every width from 8 to 256 counted. For r = 2 the slope
was −0.75 and the claim failed: at m = 8 = rᵖ the bound is 1 and says nothing, and the error was
still falling at m = 256, so that m = 128, less than twice above it, was taken for a width that the
samples limit. The condition *m* ≥ 2 rᵖ and the width 512 were added for that; the slope asked for
is the same.

**Control.** With a step of size 0 the neurons are random in d dimensions, and a few hundred of
them cannot make up for that.

**What it cannot tell.** How the width needed grows with r, beyond the values given.

**Example.** `featlearn run {NAME} --set ranks=1,2,3 --set d=24`
""",
)
