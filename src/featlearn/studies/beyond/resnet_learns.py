"""A residual network learns F and then G; every kernel, and every network without F, misses G."""

from typing import TYPE_CHECKING, Any

from featlearn.claims import AtLeast, AtMost, Finding, judge
from featlearn.engine import Settings, Study
from featlearn.studies.beyond._cells import KERNELS, SOURCE, run, search, shape
from featlearn.studies.beyond._choice import chosen, flags_of, line_of, over, select

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NAME = "beyond/resnet-learns"
LEARNED = AtMost(0.5)  # of the kα² line
MISSED = AtLeast(1.0)
FROZEN = ("last layer", "tangent")  # linear in what is trained: smaller rates, more decay
RIVALS = ("two-layer", *FROZEN, *KERNELS)


def grid(s: Settings) -> list[dict[str, Any]]:
    """Every learner of the tier with its whole search, on both versions; the network at widths."""
    cells = []
    for version in s["versions"]:
        search_of: dict[str, Any] = {
            "n": s["n"],
            "rates": s[f"{version}_rates"],
            "decays": s["decays"],
            "epochs": s[f"{version}_epochs"],
            "draws": s["draws"],
        }
        for width in s["widths"]:
            cells += search("ResNet", version, width=width, **search_of)
        main = s["width"]
        if main not in s["widths"]:
            cells += search("ResNet", version, width=main, **search_of)
        if version == s["versions"][0]:
            cells += search("ResNet", version, width=main, apart=True, **search_of)
        for learner in s[f"{version}_rivals"]:
            frozen = {"rates": s["frozen_rates"], "decays": s["frozen_decays"]}
            own = search_of | (frozen if learner in FROZEN else {})
            cells += search(learner, version, width=main, **own)
    return cells


def judge_rows(rows: "pd.DataFrame") -> list[Finding]:
    """Error over kα², chosen by validation, version by version."""
    findings = []
    for version in dict.fromkeys(rows["target"]):
        mine = select(rows, target=version)
        line = line_of(version, float(mine["alpha"].iloc[0]))
        findings += _judge_version(version, mine, line)
    return findings


def _judge_version(version: str, rows: "pd.DataFrame", line: float) -> list[Finding]:
    rivals = [name for name in dict.fromkeys(rows["learner"]) if name != "ResNet"]
    network = select(rows, learner="ResNet")
    main = _main_width(rows)
    normal = select(network, width=main, apart=False)
    away = select(network, width=main, apart=True)
    best = chosen(normal)
    n = int(rows["n"].iloc[0])
    where = f"N = {n}, m = {main}; kα² = {line:g}"
    findings = [
        judge(NAME, f"{version}: ResNet, error over kα²", over(best, "risk", line), LEARNED,
              flags=flags_of(normal, best), note=where),
    ]  # fmt: skip
    for rival in rivals:
        tried = select(rows, learner=rival)
        picked = chosen(tried)
        findings.append(
            judge(NAME, f"{version}: {rival}", over(picked, "risk", line),
                  MISSED if rival in RIVALS else None, flags=flags_of(tried, picked))
        )  # fmt: skip
    if len(away):
        picked = chosen(away)
        findings.append(
            judge(NAME, f"{version}: ResNet, G on products that are not F's",
                  over(picked, "risk", line), LEARNED, role="control",
                  flags=flags_of(away, picked))
        )  # fmt: skip
    by_test = over(chosen(normal, by="risk"), "risk", line)
    findings.append(
        judge(NAME, f"{version}: ResNet, setting chosen by test error", by_test, None,
              predicted="as the original chose")
    )  # fmt: skip
    return findings


def _main_width(rows: "pd.DataFrame") -> int:
    """The width at which rivals were trained too."""
    return int(
        rows.loc[rows["apart"], "width"].max() if rows["apart"].any() else rows["width"].max()
    )


def figure(rows: "pd.DataFrame") -> "Figure":
    """Error against m for each version, with the rivals and the kα² line."""
    from featlearn.report.figures import curve_panel, new_figure, panel_title

    versions = list(dict.fromkeys(rows["target"]))
    fig, axes = new_figure(len(versions), height=3.6)
    for ax, version in zip(axes, versions, strict=True):
        mine = select(rows, target=version)
        line = line_of(version, float(mine["alpha"].iloc[0]))
        best = _drawn(chosen(mine), _main_width(mine))
        ax.set(xlabel="neurons m", ylabel="squared error")
        curve_panel(ax, best, "width", "risk", "learner")
        for height, name in ((line, "kα²"), (line / 2, "kα²/2")):
            ax.axhline(height, color="#66707a", linewidth=0.8, linestyle=(0, (4, 3)))
            ax.annotate(name, (0.01, height), xycoords=("axes fraction", "data"), fontsize=8,
                        color="#66707a", va="bottom")  # fmt: skip
        panel_title(ax, f"{version}: N = {int(mine['n'].iloc[0])}, α = {mine['alpha'].iloc[0]:g}")
    return fig


def _drawn(best: "pd.DataFrame", main: int) -> "pd.DataFrame":
    """Kernels have no width: they stand at that of the networks. The control has a name."""
    named = best.assign(width=best["width"].where(best["width"] > 0, main))
    return named.assign(learner=named["learner"].where(~named["apart"], "ResNet, G not of F"))


_QUICK: dict[str, Any] = {
    "versions": ["slides", "later"],
    "n": 1000,
    "width": 200,
    "widths": [200],
    "slides_rivals": ["two-layer", "last layer", "tangent", "residual NTK", "polynomial"],
    "later_rivals": ["two-layer", "residual NTK"],
    "slides_rates": [0.2, 0.5, 1.0],
    "later_rates": [0.2, 0.5],
    "frozen_rates": [0.02, 0.2],
    "frozen_decays": [1e-3, 1e-2, 1e-1],
    "decays": [3e-4, 1e-3],
    "slides_epochs": 400,
    "later_epochs": 800,
    "draws": 4096,
}

_SMOKE: dict[str, Any] = {
    "versions": ["slides"],
    "n": 200,
    "width": 20,
    "widths": [20],
    "slides_rivals": ["two-layer", "RBF"],
    "slides_rates": [0.2],
    "decays": [1e-3],
    "frozen_rates": [0.02],
    "frozen_decays": [1e-3],
    "slides_epochs": 4,
    "draws": 512,
}
_RIVALS = ["two-layer", "fully connected", "ResNet, all", "last layer", "tangent", *KERNELS]
_FULL: dict[str, Any] = {
    "width": 1000,
    "widths": [20, 100, 500, 2000, 5000, 20_000],
    "slides_rivals": _RIVALS,
    "later_rivals": _RIVALS,
    "slides_rates": [0.05, 0.1, 0.2, 0.5, 1.0],
    "later_rates": [0.05, 0.1, 0.2, 0.5, 1.0],
    "frozen_rates": [0.001, 0.005, 0.02, 0.1, 0.5],
    "frozen_decays": [1e-3, 1e-2, 1e-1, 1.0],
    "decays": [2e-4, 5e-4, 1e-3, 2e-3],
    "slides_epochs": 800,
    "draws": 20_000,
}

STUDY = Study(
    name=NAME,
    source=SOURCE,
    statement=(
        "At N = 1000 a three-layer residual network brings the error under half of *kα*², where a "
        "learner of F alone stays; two-layer networks, frozen features and every kernel stay above."
    ),
    settings={
        "smoke": _QUICK | _SMOKE,
        "quick": _QUICK,
        "full": _QUICK | _FULL,
    },
    seeds={"smoke": 2, "quick": 3, "full": 5},
    grid=grid,
    shape=shape,
    run=run,
    judge=judge_rows,
    figure=figure,
    headline=True,
    overlap=True,
    order=1,
    notes=f"""
**What it measures.** The squared error, summed over outputs and without a ½, on fresh points, in
units of *kα*²: the error of a learner that has F and nothing of G. N rows train and N/4 more
choose learning rate and weight decay; the original chose by test error, and the row *setting
chosen by test error* says what that would have given.

**Tuning.** In a tier every trained learner has the same number of settings, of the same epochs;
learners that are linear in what is trained (*last layer*, *tangent*) have smaller rates and larger
decays, since theirs diverge or overfit at the others'. Each kernel chooses among three numbers of
its own and a hundred λ. Labels carry no noise, so that kernels like the smallest λ: *grid edge*
then means that ridge is not needed.

**The control** is the same target with G on other products, G(F(πx)): the pairs of πx are not
those of x, F is as easy and G as hard as before, and F is of no use to G.

**Found in the quick tier** (m = 200, 3 seeds). Slides, 400 epochs: ResNet 0.39 [0.33, 0.44] of the
line; two-layer 1.4, last layer 10, tangent 8.4, kernels 2.9 to 3.2; control 1.8. Later version,
800 epochs: ResNet 0.32 [0.23, 0.34], two-layer 1.9, residual NTK 3.1; control 2.0. Choosing by
test error would have chosen the same settings.

**A judgement that was changed.** Both versions had 400 epochs at first, half of the original's, to
save time: the later one was then open at 0.46 [0.28, 0.57], some starts being in the middle of
their way down. It now has the original's 800, and two rates for three; the bounds are the same.
The grids of *last layer* and *tangent* were moved after the first run, to smaller rates and larger
decays, in their favour: tangent was at 9.5 and last layer at 10.6 before.

**What it cannot tell.** Whether another training would help the rivals: they get the same epochs.
In the quick tier it has one width, and the last layer and the tangent model are width-limited
there; the kernels are their limits of infinite width, and the curve against m is the full tier's.

**Example.** `featlearn run {NAME} --set widths=50,200 --set versions=later`
""",
)  # fmt: skip
