"""After the step, the neurons lie in the principal subspace."""

from typing import TYPE_CHECKING, Any

from featlearn import measures
from featlearn.claims import AtLeast, Between, Finding, Measured, judge
from featlearn.engine import Settings, Study
from featlearn.studies.representations._cells import cell, run, sample_sizes, shape
from featlearn.studies.representations._judging import SOURCE, flags_of, median, select

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NAME = "representations/subspace"
FALL = Between(-1.25, -0.75)  # the odds outside/inside are (noise d/n) / (signal 1/d): slope −1
FAR = 4.0  # times the level that labels with random signs give
RIVALS = ("pHd", "SIR", "SAVE")


def grid(s: Settings) -> list[dict[str, Any]]:
    """The step at multiples of d²; its controls and the linear-algebra rivals at one d."""
    common = {"noise": s["noise"], "draws": s["draws"], "width": s["width"]}
    cells = []
    for d in s["dims"]:
        sizes = sample_sizes(d**2, s["multiples"])
        cells += [cell("one step, signs", d, n, rows=max(sizes), **common) for n in sizes]
    d = s["control_d"]
    sizes = sample_sizes(d**2, s["multiples"])
    controls: tuple[tuple[str, dict[str, Any]], ...] = (
        ("one step, non-symmetric, signs", {}),
        ("one step, signs", {"form": "hermite", "p": 3}),
        *((rival, {}) for rival in RIVALS),
    )
    for learner, change in controls:
        cells += [cell(learner, d, n, rows=max(sizes), **common, **change) for n in sizes]
    return cells


def judge_rows(rows: "pd.DataFrame") -> list[Finding]:
    """How the energy outside falls, and how far the energy inside is above chance at n = d²."""
    odds = rows["outside"] / (1 - rows["outside"])
    rows = rows.assign(odds=odds, ratio=rows["n"] / rows["d"] ** 2)
    good = select(rows, learner="one step, signs", form="representation")
    findings = [
        judge(NAME, "slope of log(energy outside / inside) in n/d²", _fall(good), FALL,
              predicted="−1, in [−1.25, −0.75]", flags=flags_of(good))
    ]  # fmt: skip
    for d in sorted(good["d"].unique()):
        at = _at_square(select(good, d=d))
        findings.append(
            judge(NAME, f"d = {d}, n = d²: energy inside / its chance level", median(at, "lift"),
                  AtLeast(FAR), flags=flags_of(at))
        )  # fmt: skip
    for label, bad in (
        ("non-symmetric start", select(rows, learner="one step, non-symmetric, signs")),
        ("He3 alone (H = 0)", select(rows, form="hermite")),
    ):
        at = _at_square(bad)
        findings += [
            judge(NAME, f"{label}: slope in n/d²", _fall(bad), FALL, role="control"),
            judge(NAME, f"{label}, n = d²: energy inside / its chance level", median(at, "lift"),
                  AtLeast(FAR), role="control"),
        ]  # fmt: skip
    for rival in RIVALS:
        at = _at_square(select(rows, learner=rival))
        findings.append(
            judge(NAME, f"{rival}, n = d²: energy outside", median(at, "outside"), None,
                  predicted="the linear-algebra rivals")
        )  # fmt: skip
    return findings


def _fall(rows: "pd.DataFrame") -> Measured:
    """One slope for all d: the odds are a function of n/d² alone."""
    groups = {float(r): g["odds"].to_numpy(float) for r, g in rows.groupby("ratio")}
    return measures.exponent(list(groups), groups).measured


def _at_square(rows: "pd.DataFrame") -> "pd.DataFrame":
    at = rows[rows["n"] == rows["d"] ** 2]
    if "outside_signs" in at:
        at = at.assign(lift=(1 - at["outside"]) / (1 - at["outside_signs"]))
    return at


def figure(rows: "pd.DataFrame") -> "Figure":
    """Energy outside S* against n/d², for each d and for the controls and rivals."""
    from featlearn.report.figures import curve_panel, mark_scale, new_figure, panel_title

    rows = rows.assign(ratio=rows["n"] / rows["d"] ** 2)
    fig, (left, right) = new_figure(2, height=3.4, share_y=True)
    good = select(rows, learner="one step, signs", form="representation")
    for ax in (left, right):
        ax.set(xlabel="n / d²", ylabel="energy outside S*")
    curve_panel(left, good, "ratio", "outside", "d")
    mark_scale(left, 1.0, "n = d²")
    panel_title(left, "one step: a function of n/d² alone")
    names = {
        "one step, signs": "one step",
        "one step, non-symmetric, signs": "non-symmetric",
    }
    at = rows[rows["d"] == rows.loc[rows["learner"].isin(RIVALS), "d"].iloc[0]]
    named = at["learner"].replace(names).where(at["form"] != "hermite", "He3 alone")
    curve_panel(right, at.assign(series=named), "ratio", "outside", "series")
    panel_title(right, f"controls and rivals, d = {int(at['d'].iloc[0])}")
    return fig


_QUICK: dict[str, Any] = {
    "noise": 0.3,
    "width": 256,
    "dims": [16, 32, 64],
    "control_d": 32,
    "multiples": [0.5, 1.0, 2.0, 4.0, 8.0],
    "draws": 2048,
}

STUDY = Study(
    name=NAME,
    source=SOURCE,
    statement=(
        "After the step the neurons lie in S*: their energy outside it falls with *n*/d², and is "
        "far from the level of chance from *n* ≈ d² on."
    ),
    settings={
        "smoke": _QUICK | {"dims": [12], "control_d": 12, "multiples": [1.0, 8.0], "width": 64},
        "quick": _QUICK,
        "full": _QUICK
        | {
            "dims": [32, 64, 128, 256],
            "control_d": 128,
            "width": 512,
            "multiples": [0.5, 1.0, 2.0, 4.0, 8.0, 15.0],
        },
    },
    seeds={"smoke": 4, "quick": 10, "full": 10},
    grid=grid,
    shape=shape,
    run=run,
    judge=judge_rows,
    figure=figure,
    order=3,
    notes=f"""
**What it measures.** ‖W(I − UUᵀ)‖²/‖W‖² of the neurons W after the step. The gradient of a neuron
is (2π)^(−½) H w̄ plus noise; with the linear part removed, the noise has energy d(1 + ζ²)/4n and the
signal 1/2πd, so that outside/inside ≈ (π/2)(1 + ζ²) d²/n_train: a slope of −1 in n/d² and no other
dependence on d.

**The level of chance.** Random directions would have 1/d of their energy in S*. The step's own
noise has more: it is a sum of y_i x_i, and y² is larger where ⟨u, x⟩ is, so that He₃ alone, for
which H = 0 and nothing is learned, puts 7/(d + 6) of its energy into S* at *every* n. One step on
a finite sample is not quite a correlational query. The level used here is therefore measured: the
same step on the same samples with labels of random sign.

**What it cannot tell.** Whether a head can use the neurons; that is `representations/transfer`.

**Example.** `featlearn run {NAME} --set dims=16,128`
""",
)
