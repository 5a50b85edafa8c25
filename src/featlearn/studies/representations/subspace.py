"""After the step, the neurons lie in the principal subspace."""

from math import pi
from typing import TYPE_CHECKING, Any

from featlearn.claims import AtLeast, Between, Finding, Role, judge
from featlearn.engine import Settings, Study
from featlearn.studies._judging import decay, median, select
from featlearn.studies.representations._cells import cell, run, sample_sizes, shape
from featlearn.studies.representations._judging import SOURCE, flags_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NAME = "representations/subspace"
FALL = Between(-1.25, -0.75)  # the odds outside/inside are (noise d/n) / (signal 1/d): slope −1
RISE = AtLeast(0.5)  # at n = d² the energy inside is the same for every d, and chance is ∝ 1/d
FAR = AtLeast(4.0)  # times the level that labels with random signs give
RIVALS = ("pHd", "SIR", "SAVE")
CONTROLS: dict[str, dict[str, Any]] = {
    "non-symmetric start": {"learner": "one step, non-symmetric", "form": "representation"},
    "He3 alone (H = 0)": {"learner": "one step", "form": "hermite"},
}


def grid(s: Settings) -> list[dict[str, Any]]:
    """The step at multiples of d² for every d, its controls for some, the rivals for one."""
    common = {"noise": s["noise"], "draws": s["draws"], "width": s["width"], "head": False}

    def curve(learner: str, d: int, **change: Any) -> list[dict[str, Any]]:
        sizes = [n for n in sample_sizes(d**2, s["multiples"]) if n <= s["most"]]
        return [cell(learner, d, n, rows=max(sizes), **common, **change) for n in sizes]

    cells = [c for d in s["dims"] for c in curve("one step", d, chance=True)]
    for control in CONTROLS.values():
        cells += [c for d in s["control_dims"] for c in curve(**control, d=d, chance=True)]
    return cells + [c for rival in RIVALS for c in curve(rival, s["rival_dim"])]


def judge_rows(rows: "pd.DataFrame") -> list[Finding]:
    """How the energy outside falls, and how far the energy inside is above chance at n = d²."""
    rows = rows.assign(
        odds=rows["outside"] / (1 - rows["outside"]),
        ratio=rows["n"] / rows["d"] ** 2,
        lift=(1 - rows["outside"]) / (1 - rows["outside_by_chance"]),
    )
    good = select(rows, learner="one step", form="representation")
    findings = _findings(good)
    for name, which in CONTROLS.items():
        findings += _findings(select(rows, **which), f"{name}: ")
    at = rows[rows["n"] == rows["d"] ** 2]
    findings += [
        judge(NAME, f"d = {d}, n = d²: energy inside / its level of chance",
              median(select(at, d=d, learner="one step", form="representation"), "lift"), None,
              predicted=f"{_expected_lift(d, float(good['noise'].iloc[0])):.2g}")
        for d in sorted(good["d"].unique())[:-1]
    ]  # fmt: skip
    return findings + [
        judge(NAME, f"{rival}, n = d²: energy outside",
              median(select(at, learner=rival), "outside"), None,
              predicted="the linear-algebra rivals")
        for rival in RIVALS
    ]  # fmt: skip


def _findings(rows: "pd.DataFrame", control: str = "") -> list[Finding]:
    role: Role = "control" if control else "claim"
    at = rows[rows["n"] == rows["d"] ** 2]
    d = int(at["d"].max())
    return [
        judge(NAME, f"{control}slope of log(energy outside / inside) in n/d²",
              decay(rows, "ratio", "odds").measured, FALL, role=role, flags=flags_of(rows),
              predicted="−1, in [−1.25, −0.75]"),
        judge(NAME, f"{control}n = d²: slope of log(energy inside / its level of chance) in d",
              decay(at, "d", "lift").measured, RISE, role=role, flags=flags_of(at)),
        judge(NAME, f"{control}d = {d}, n = d²: energy inside / its level of chance",
              median(select(at, d=d), "lift"), FAR, role=role, flags=flags_of(at)),
    ]  # fmt: skip


def _expected_lift(d: int, noise: float) -> float:
    """At n = d², by the law in the notes, in units of the noise's energy in one direction.

    Outside it has d − 1, inside E y²z²/E y² = (6 + ζ²)/(1 + ζ²), and the signal (d − 1)/odds.
    """
    odds = pi / 2 * (1 + noise**2) / (1 - 0.2)  # a fifth of the rows validates
    lean = (6 + noise**2) / (1 + noise**2)
    inside = (d - 1) / odds + lean
    return inside / (inside + d - 1) * (d - 1 + lean) / lean


def figure(rows: "pd.DataFrame") -> "Figure":
    """Energy outside S* against n/d², for each d and for the controls and rivals."""
    from featlearn.report.figures import curve_panel, mark_scale, new_figure, panel_title

    rows = rows.assign(ratio=rows["n"] / rows["d"] ** 2)
    fig, (left, right) = new_figure(2, height=3.4, share_y=True)
    good = select(rows, learner="one step", form="representation")
    for ax in (left, right):
        ax.set(xlabel="n / d²", ylabel="energy outside S*")
    curve_panel(left, good, "ratio", "outside", "d")
    mark_scale(left, 1.0, "n = d²")
    panel_title(left, "one step: a function of n/d² alone")
    d = int(rows.loc[rows["form"] == "hermite", "d"].max())
    others = rows[(rows["d"] == d) | rows["learner"].isin(RIVALS)]
    named = others["learner"].replace({"one step, non-symmetric": "non-symmetric"})
    named = named.where(others["form"] != "hermite", "He3 alone")
    curve_panel(right, others.assign(series=named), "ratio", "outside", "series")
    panel_title(right, f"controls and rivals, d = {d} ({_rival_dim(rows)} for rivals)")
    return fig


def _rival_dim(rows: "pd.DataFrame") -> int:
    return int(rows.loc[rows["learner"].isin(RIVALS), "d"].iloc[0])


_QUICK: dict[str, Any] = {
    "noise": 0.3,
    "width": 256,
    "dims": [16, 32, 64, 128],
    "control_dims": [16, 64],
    "rival_dim": 32,
    "multiples": [0.5, 1.0, 2.0, 4.0, 8.0],
    "most": 32768,
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
        "smoke": _QUICK
        | {
            "dims": [8, 16],
            "control_dims": [8, 16],
            "rival_dim": 8,
            "multiples": [1.0, 8.0],
            "width": 64,
        },
        "quick": _QUICK,
        "full": _QUICK
        | {
            "dims": [32, 64, 128, 256],
            "control_dims": [32, 128],
            "rival_dim": 128,
            "width": 512,
            "multiples": [0.5, 1.0, 2.0, 4.0, 8.0, 15.0],
            "most": 1_000_000,
        },
    },
    seeds={"smoke": 4, "quick": 10, "full": 10},
    grid=grid,
    shape=shape,
    run=run,
    judge=judge_rows,
    figure=figure,
    overlap=True,
    order=3,
    notes=f"""
**What it measures.** ‖W(I − UUᵀ)‖²/‖W‖² of the neurons W after the step. The gradient of a neuron
is (2π)^(−½) H w̄ plus noise; with the linear part removed, the noise has energy d(1 + ζ²)/4n and the
signal 1/2πd, so that outside/inside ≈ (π/2)(1 + ζ²) d²/n_train: a slope of −1 in n/d² and no other
dependence on d.

**The level of chance.** Random directions would have 1/d of their energy in S*. The step's own
noise has more: it is a sum of y_i x_i, and y² is larger where z = ⟨u, x⟩ is, so that He₃ alone, for
which H = 0 and nothing is learned, puts 7/(d + 6) of its energy into S* at *every* n. One step on
a finite sample is not quite a correlational query. The level used here is therefore measured: the
same step on the same samples with labels of random sign. It falls like 1/d, while at n = d² the
energy inside does not depend on d: the ratio of the two must rise with d.

**A judgement that was changed.** At first the ratio had to be at least 4 at every d of the grid. It
was 1.9 at d = 16 and 2.7 at d = 32, and the claim failed there. That was our arithmetic and not the
document's: the law above puts the ratio at 1.7 and 2.6 for these d, and at 4.4 for d = 64. The
statement is one about growing d, so it is now judged by how the ratio rises with d and by its value
at the largest, for which d = 128 was added; the smaller d are printed beside their predictions.

**What it cannot tell.** Whether a head can use the neurons; that is `representations/transfer`.

**Example.** `featlearn run {NAME} --set dims=16,128`
""",
)
