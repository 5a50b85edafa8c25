"""Whether gates that never move are enough to learn what a residual network learns."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from featlearn import measures  # loads SciPy when a measure is first used, not here
from featlearn.claims import AtLeast, AtMost, Finding, Measured, Role, judge
from featlearn.engine import Cell, Outcome, Settings, Study
from featlearn.studies._judging import by, select

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NAME = "beyond/gated-dense"
SOURCE = "Over-parameterized networks beyond kernels (slides)"
LEARNED = AtMost(0.5)  # of kα²: half of G
MARGIN = AtMost(0.25)  # of kα², above the ReLU network
MISSED = AtLeast(1.0)  # of kα²
PLAIN, TWIN, TANGENT = "ResNet", "gated", "tangent model of the twin"
NETWORKS = (PLAIN, TWIN, TANGENT)
OUTPUTS = 8
PER_CELL = ("rate", "decay")


def grid(s: Settings) -> list[dict[str, Any]]:
    """Networks with their search at every n, the control at the largest, kernels at small n."""
    cells = []
    for n in s["sizes"]:
        for learner in NETWORKS if n == max(s["sizes"]) else (PLAIN, TWIN):
            kinds = [0.0] if learner == PLAIN else s["sharpness"]
            cells += [
                _cell(s, learner, n, rate, decay, sharpness)
                for sharpness in kinds
                for rate in s["rates"]
                for decay in s["decays"]
            ]
        cells += [_cell(s, kernel, n) for kernel in s["kernels"] if n <= s["kernel_most"]]
    return cells


def _cell(
    s: Settings, learner: str, n: int, rate: float = 0.0, decay: float = 0.0, sharpness: float = 0.0
) -> dict[str, Any]:
    exact = learner not in NETWORKS
    return {
        "learner": learner,
        "d": int(s["d"]),
        "alpha": float(s["alpha"]),
        "n": int(n),
        "width": 0 if exact else int(s["width"]),
        "epochs": 0 if exact else max(1, round(s["steps"] * 50 / n)),
        "rate": float(rate),
        "decay": float(decay),
        "sharpness": float(sharpness),
        "draws": int(s["draws"]),
    }


def shape(parameters: Mapping[str, Any]) -> Hashable:
    """One program for each network and n: the search's numbers are its own."""
    return tuple(sorted((k, v) for k, v in parameters.items() if k not in PER_CELL))


def run(cells: Sequence[Cell]) -> list[Outcome]:
    """One fleet: JAX is loaded here, not when the studies are listed."""
    from featlearn.studies.beyond._gated import measure_gated

    return measure_gated(cells)


def chosen(rows: "pd.DataFrame") -> "pd.DataFrame":
    """The setting that validation chose, for each learner, n and seed; never one that diverged."""
    done = rows[rows["state"] == "done"]
    best = done.loc[done.groupby(["learner", "n", "repetition"])["validation"].idxmin()]
    return best.assign(share=best["risk"] / line_of(rows))


def line_of(rows: "pd.DataFrame") -> float:
    """kα²: the error of F alone."""
    return OUTPUTS * float(rows["alpha"].iloc[0]) ** 2


def judge_rows(rows: "pd.DataFrame") -> list[Finding]:
    """Errors over kα² at every n: the twin, the network that it is a twin of, and kernels."""
    best, findings = chosen(rows), []
    for n, at in by(best, "n").items():
        tried = select(rows, n=n)
        last = bool(n == best["n"].max())
        findings += _of_networks(tried, at, n, last)
        findings += [
            judge(NAME, f"N = {n:g}: {kernel}, error over kα²", _median(select(at, learner=kernel)),
                  MISSED, flags=_flags(select(tried, learner=kernel), select(at, learner=kernel)))
            for kernel in dict.fromkeys(at["learner"])
            if kernel not in NETWORKS
        ]  # fmt: skip
    return findings


def _of_networks(tried: "pd.DataFrame", at: "pd.DataFrame", n: float, last: bool) -> list[Finding]:
    """The claim is about the largest n; what smaller ones give is reported."""
    plain, twin = (select(at, learner=name) for name in (PLAIN, TWIN))
    gap = measures.difference_interval(twin["share"], plain["share"])
    found = [
        _share(tried, at, n, TWIN, last),
        judge(NAME, f"N = {n:g}: gated less ResNet, over kα²", gap, MARGIN if last else None),
        judge(NAME, f"N = {n:g}: ResNet, error over kα²", _median(plain), None,
              flags=_flags(select(tried, learner=PLAIN), plain)),
    ]  # fmt: skip
    return found + ([_share(tried, at, n, TANGENT, last, "control")] if last else [])


def _share(
    tried: "pd.DataFrame", at: "pd.DataFrame", n: float, name: str, last: bool, role: Role = "claim"
) -> Finding:
    mine = select(at, learner=name)
    return judge(NAME, f"N = {n:g}: {name}, error over kα²", _median(mine),
                 LEARNED if last else None, role=role,
                 flags=_flags(select(tried, learner=name), mine))  # fmt: skip


def _median(rows: "pd.DataFrame") -> Measured:
    return measures.median_interval(rows["share"].to_numpy(float))


def _flags(rows: "pd.DataFrame", best: "pd.DataFrame") -> tuple[str, ...]:
    flags = ["some settings diverged"] if (rows["state"] != "done").any() else []
    tried = sorted(rows["rate"].unique())
    if len(tried) > 1 and best["rate"].isin([tried[0], tried[-1]]).mean() > 0.5:
        flags.append("grid edge")
    return tuple(flags)


def figure(rows: "pd.DataFrame") -> "Figure":
    """Error against n, with the line of F alone; and the spread of the search."""
    from featlearn.report.figures import Style, curve_panel, new_figure, panel_title

    best = chosen(rows)
    styles: dict[Hashable, Style] = {TANGENT: Style("#c96a00", "--", "<")}
    fig, (left, right) = new_figure(2, height=3.4, share_y=True)
    left.set(xlabel="samples N", ylabel="squared error / kα²")
    curve_panel(left, best, "n", "share", "learner", styles=styles)
    panel_title(left, f"d = {int(rows['d'].iloc[0])}; dashed: F alone, half of G")
    tried = rows[rows["learner"].isin(NETWORKS) & (rows["state"] == "done")]
    tried = tried[tried["n"] == tried["n"].max()].assign(share=tried["risk"] / line_of(rows))
    right.set(xlabel="learning rate")
    curve_panel(right, tried, "rate", "share", "learner", styles=styles, direct=False)
    panel_title(right, f"the search at N = {int(tried['n'].iloc[0])}")
    for ax in (left, right):
        for height in (1.0, 0.5):
            ax.axhline(height, color="#66707a", linewidth=0.8, linestyle=(0, (4, 3)))
    return fig


def repeats(parameters: Mapping[str, Any], seeds: int) -> int:
    """Kernels have no random start: three samples are enough to see where they stay."""
    return seeds if parameters["learner"] in NETWORKS else min(seeds, 3)


_QUICK: dict[str, Any] = {
    "d": 16,
    "alpha": 0.3,
    "sizes": [400, 1600],
    "width": 200,
    "steps": 4000,
    "rates": [0.02, 0.04],
    "decays": [5e-4],
    "sharpness": [4.0],
    "kernels": ["residual NTK"],
    "kernel_most": 1600,
    "draws": 4096,
}

STUDY = Study(
    name=NAME,
    source=SOURCE,
    statement=(
        "Gated networks, whose gates stay at their random start, learn what a residual network "
        "learns, to within a quarter of *kα*²; kernels do not."
    ),
    settings={
        "smoke": _QUICK
        | {"sizes": [200], "width": 20, "steps": 80, "kernel_most": 200, "draws": 512},
        "quick": _QUICK,
        "full": _QUICK
        | {
            "d": 30,
            "sizes": [1000, 2000, 4000, 8000],
            "width": 1000,
            "steps": 20_000,
            "rates": [0.01, 0.02, 0.05, 0.1, 0.2],
            "decays": [0.0, 1e-4, 1e-3],
            "kernels": ["residual NTK", "NTK", "polynomial"],
            "kernel_most": 8000,
            "sharpness": [4.0, 8.0],
            "draws": 20_000,
        },
    },
    seeds={"smoke": 2, "quick": 3, "full": 5},
    grid=grid,
    shape=shape,
    run=run,
    judge=judge_rows,
    figure=figure,
    repeats=repeats,
    overlap=True,
    order=24,
    notes=f"""
**What it measures.** The target is that of the document, βF + αG(F) with F the products of eight
pairs and G products of four of these, and kα² = 0.72 is the error of F alone. The network is
o + B σ(V(o, 1)) with o = A σ(W(x, 1)), all of it trained; in its twin every ReLU is a gate,
1̃[⟨w₁, x⟩ ≥ 0] ⟨w₂, x⟩ with w₁ frozen (`networks.gated`), 1̃ a sigmoid of sharpness
{_QUICK["sharpness"][0]:g} in units of what the gates of a layer see. Both are trained by one
loop, with the same search; settings are chosen on N/4 rows of their own, by which kernels choose
too.

**What is predicted.** A gated layer is a linear model on features that never change, so the first
one learns F as a kernel does: it needs N well above the d²/2 products of two coordinates. Given F,
the second one learns G from the few products of four among eight. A kernel on x must find a product
of eight among d coordinates. The claim is therefore judged at an N of many times d²/2 at which that
product is out of reach, and not at every N: where kernels do not have F, the twin has not
either.

**Quick and full.** The quick tier leaves out the 14 coordinates on which neither F nor G depends
(d = 16, N = 1600 = 12 d²/2), since an exact kernel at d = 30 needs N = 8000 there; the full tier is
the document's d = 30, and shows N = 1000, the document's own, besides.

**The search** of the quick tier has two learning rates, of which the larger is best for all; at
twice that all diverge. In it N = 400 is shown for what smaller samples give.

**Control.** The tangent model of the twin at its start: the same gates, and no layer that is fed by
what another has learned.

**What pilots showed** (other seeds), before the sizes were set. At the document's N = 1000, d = 30,
with A and B fixed, the best twin had an error of 1.6 where the residual NTK had 2.3 and the
network 0.5: none but the network had F. With A and B left as they are drawn the twin stays at kα²,
although the second layer alone, given F, learns G; trained in all layers it learns both. Soft
gates (sharpness 1) learn F from fewer samples and G hardly at all: products of four need gates
that turn.

**What it cannot tell.** Anything of images, for which the document has its numbers.

**Example.** `featlearn run {NAME} --set sharpness=4,8 --set sizes=800,1600`
""",
)
