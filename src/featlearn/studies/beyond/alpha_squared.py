"""The residual network's error falls like α⁴, the square of what F alone leaves."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from featlearn import measures
from featlearn.claims import AtLeast, AtMost, Finding, Measured, judge
from featlearn.engine import Settings, Study
from featlearn.studies.beyond._cells import KERNELS, OUTPUTS, SOURCE, run, search, shape
from featlearn.studies.beyond._choice import chosen, flags_of, line_of, over, select

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NAME = "beyond/alpha-squared"
ONE_CONSTANT = AtMost(3.0)
ABOVE_HALF = AtLeast(0.5)


def grid(s: Settings) -> list[dict[str, Any]]:
    """The network at every α and at 0, once more with G on other products; kernels at some α."""
    common = {
        "n": s["n"],
        "rates": s["rates"],
        "decays": s["decays"],
        "width": s["width"],
        "epochs": s["epochs"],
        "draws": s["draws"],
    }
    cells = []
    for alpha in (0.0, *s["alphas"]):
        cells += search("ResNet", "later", alpha=alpha, **common)
    for alpha in s["control_alphas"]:
        cells += search("ResNet", "later", alpha=alpha, apart=True, **common)
    for kernel in s["kernels"]:
        for alpha in s["kernel_alphas"]:
            cells += search(kernel, "later", alpha=alpha, **common)
    return cells


def repeats(parameters: Mapping[str, Any], seeds: int) -> int:
    """Kernels have no random start and vary less: two of three seeds."""
    return max(2 * seeds // 3, 1) if parameters["learner"] in KERNELS else seeds


def judge_rows(rows: "pd.DataFrame") -> list[Finding]:
    """One constant for all α; kernels α by α."""
    network = select(rows, learner="ResNet")
    plain, away = select(network, apart=False), select(network, apart=True)
    best, best_away = chosen(plain), chosen(away)
    own = own_errors(best)
    n, m = int(rows["n"].iloc[0]), int(network["width"].iloc[0])
    findings = [
        judge(NAME, "ResNet: C in error ≤ C (kα⁴ + error at α = 0), all α",
              constant(best, own), ONE_CONSTANT, flags=flags_of(plain, best),
              note=f"N = {n}, m = {m}"),
        judge(NAME, "ResNet, G on products that are not F's: C", constant(best_away, own),
              ONE_CONSTANT, role="control", flags=flags_of(away, best_away)),
        judge(NAME, "ResNet: error at α = 0", over(select(best, alpha=0.0), "risk", 1.0), None,
              predicted="small"),
    ]  # fmt: skip
    for kernel in (k for k in KERNELS if (rows["learner"] == k).any()):
        for alpha in sorted(select(rows, learner=kernel)["alpha"].unique()):
            tried = select(rows, learner=kernel, alpha=alpha)
            picked = chosen(tried)
            line = line_of("later", alpha)
            findings.append(
                judge(NAME, f"{kernel}, α = {alpha:g}: error over kα²",
                      over(picked, "risk", line), ABOVE_HALF, flags=flags_of(tried, picked))
            )  # fmt: skip
    return findings


def own_errors(best: "pd.DataFrame") -> "dict[int, float]":
    """The network's error at α = 0, repetition by repetition."""
    at_zero = select(best, alpha=0.0)
    return dict(zip(at_zero["repetition"], at_zero["risk"], strict=True))


def constant(best: "pd.DataFrame", own: Mapping[int, float]) -> Measured:
    """max over α > 0 of error/(kα⁴ + error at 0): the least C of each seed, and its median."""
    k = OUTPUTS["later"]
    least = []
    for _, group in best[best["alpha"] > 0].groupby("repetition"):
        allowed = k * group["alpha"].to_numpy() ** 4 + own[int(group["repetition"].iloc[0])]
        least.append(float(np.max(group["risk"].to_numpy() / allowed)))
    return measures.median_interval(least)


def figure(rows: "pd.DataFrame") -> "Figure":
    """Error against α, with kα² and kα⁴."""
    from featlearn.report.figures import curve_panel, new_figure, panel_title

    fig, (ax,) = new_figure(1, height=3.6)
    best = chosen(rows)
    drawn = best[best["alpha"] > 0]
    drawn = drawn.assign(learner=drawn["learner"].where(~drawn["apart"], "ResNet, G not of F"))
    ax.set(xlabel="strength α of the composite signal", ylabel="squared error")
    curve_panel(ax, drawn, "alpha", "risk", "learner")
    alphas = np.array(sorted(drawn["alpha"].unique()))
    for power, name in ((2, "kα²"), (4, "kα⁴")):
        heights = OUTPUTS["later"] * alphas**power
        ax.plot(alphas, heights, color="#66707a", linewidth=0.8, linestyle=(0, (4, 3)))
        ax.annotate(name, (alphas[0], heights[0]), xytext=(0, 5), textcoords="offset points",
                    fontsize=8, color="#66707a", va="bottom")  # fmt: skip
    own = float(
        np.median(list(own_errors(chosen(select(rows, apart=False, learner="ResNet"))).values()))
    )
    panel_title(ax, f"N = {int(rows['n'].iloc[0])}; the ResNet's error at α = 0: {own:.3g}")
    return fig


_QUICK: dict[str, Any] = {
    "n": 2000,
    "width": 200,
    "epochs": 200,
    "rates": [0.2, 0.5],
    "decays": [3e-4, 1e-3],
    "alphas": [0.1, 0.3, 0.5],
    "control_alphas": [0.3],
    "kernels": ["residual NTK"],
    "kernel_alphas": [0.1, 0.5],
    "draws": 4096,
}

STUDY = Study(
    name=NAME,
    source=SOURCE,
    statement=(
        "The residual network's error is at most 3 (*kα*⁴ + its own error at *α* = 0) for every "
        "*α*: output error *α*², where every kernel is left with half of *kα*² or more."
    ),
    settings={
        "smoke": _QUICK
        | {"n": 200, "width": 20, "epochs": 3, "rates": [0.2], "decays": [1e-3],
           "alphas": [0.3], "kernels": ["RBF"], "kernel_alphas": [0.3], "draws": 512},
        "quick": _QUICK,
        "full": _QUICK
        | {"n": 3000, "width": 2000, "epochs": 800, "rates": [0.1, 0.2, 0.5, 1.0],
           "decays": [1e-4, 3e-4, 1e-3, 2e-3], "alphas": [0.05, 0.1, 0.2, 0.3, 0.4, 0.5],
           "control_alphas": [0.1, 0.3, 0.5], "kernels": list(KERNELS),
           "kernel_alphas": [0.05, 0.1, 0.2, 0.3, 0.4, 0.5], "draws": 20_000},
    },
    seeds={"smoke": 2, "quick": 3, "full": 5},
    grid=grid,
    shape=shape,
    run=run,
    judge=judge_rows,
    figure=figure,
    repeats=repeats,
    overlap=True,
    order=2,
    notes=f"""
**What it measures.** For each seed the least C with error(α) ≤ C (*kα*⁴ + error at α = 0) for
every α of the grid; errors are sums over outputs on fresh points, settings chosen on validation
rows for each α. *kα*⁴ is the square of the output error α²; the error at α = 0 is what F alone
costs the same network on as many samples.

**The control** is G on products that are not F's (see `beyond/resnet-learns`): F can be had, and
is of no use.

**Found in the quick tier** (N = 2000, m = 200, 200 epochs, 3 seeds; three times the samples of the
other studies would not fit two cores). C = 2.3 [1.9, 2.4], set by α = 0.1, where *kα*⁴ is a
twentieth of the error at α = 0 (0.03); at α = 0.3 and 0.5 the error, 0.10 and 0.15, is *under*
*kα*⁴ + 0.03. The residual NTK is left with 5.8 and 1.4 of *kα*² at α = 0.1 and 0.5, most of it
error in F. Control: C = 14.

**What it cannot tell.** The exponent in α by itself: the error at α = 0 hides it at small α, and
at large α the network does better than the bound.

**Example.** `featlearn run {NAME} --set alphas=0.05,0.2,0.4`
""",
)  # fmt: skip
