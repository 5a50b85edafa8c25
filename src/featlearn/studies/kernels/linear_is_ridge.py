"""The same function by two ways: kernel ridge is ridge on features, by whichever solver."""

from typing import TYPE_CHECKING, Any

from featlearn.claims import AtLeast, AtMost, Finding, judge
from featlearn.engine import Settings, Study
from featlearn.studies._judging import flags_of, median, select
from featlearn.studies.kernels._ridge_cells import COMPARED, cell, run, shape

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NAME = "kernels/linear-is-ridge"
ROUNDING = AtMost(1e-8)  # n ε |K/n|/λ = 4096 · 2e-16 · 3/1e-3, and then some
SOLVED = AtMost(1e-6)  # a relative residual of 1e-10, times |K/n|/λ = 3/1e-3, and then some
SAME = AtLeast(1.0)
CLAIMS = {
    "inputs": {"inputs": "kernel ridge with the linear kernel is ridge on the inputs"},
    "features": {"features": "ridge on random features is kernel ridge with their kernel"},
    "tangent": {"tangent": "the tangent model solved is kernel ridge with the network's NTK"},
    "solvers": {
        "cholesky": "Cholesky finds what the decomposition does",
        "iterative": "conjugate gradients find what the decomposition does",
    },
    "path": {"path": "validation errors of every λ are the same by the dual and by the primal"},
}
CONTROLS = {
    "inputs": {
        "no_intercept": "ridge on the inputs without an intercept",
        "other_convention": "kernel ridge with K + λI in the place of K/n + λI",
    },
    "features": {"other_features": "kernel ridge with the kernel of another draw of the features"},
    "tangent": {
        "other_network": "kernel ridge with the NTK of another draw of the network",
        "no_start": "kernel ridge on y in the place of y − f_0",
    },
    "solvers": {"stopped_early": "conjugate gradients stopped at a residual of 1e-2"},
    "path": {"path_other_convention": "validation errors of every λ, the dual with K + λI"},
}
BOUNDS = {"iterative": SOLVED, "stopped_early": SOLVED}  # and ROUNDING for the others


def grid(s: Settings) -> list[dict[str, Any]]:
    """Every comparison."""
    common = {name: s[name] for name in ("n", "d", "width", "penalty", "draws")}
    return [cell(compared, **common) for compared in s["compared"]]


def judge_rows(rows: "pd.DataFrame") -> list[Finding]:
    """The differences, each against what rounding or the tolerance leaves."""
    findings = []
    for compared in (each for each in COMPARED if (rows["compared"] == each).any()):
        mine = select(rows, compared=compared)
        flags = flags_of(mine)
        for role, table in (("claim", CLAIMS), ("control", CONTROLS)):
            findings += [
                judge(NAME, label, median(mine, column), BOUNDS.get(column, ROUNDING),
                      role="claim" if role == "claim" else "control", flags=flags)
                for column, label in table[compared].items()
            ]  # fmt: skip
        if compared == "path":
            findings.append(
                judge(NAME, "the λ chosen is the same by the dual and by the primal",
                      median(mine, "same_choice"), SAME, flags=flags)
            )  # fmt: skip
    return findings


def figure(rows: "pd.DataFrame") -> "Figure":
    """Every difference, seed by seed: what should be equal, and what should not."""
    from featlearn.report.figures import new_figure, panel_title

    fig, (ax,) = new_figure(1, height=4.6)
    parts = [
        (label, colour, select(rows, compared=compared)[column], BOUNDS.get(column, ROUNDING))
        for table, colour in ((CLAIMS, "#0067a9"), (CONTROLS, "#c2425b"))
        for compared in COMPARED
        for column, label in table[compared].items()
        if column in rows
    ]
    for place, (_, colour, values, bound) in enumerate(parts):
        shown = values[values > 0]
        ax.plot(shown, [place] * len(shown), "o", color=colour, markersize=4.5, alpha=0.5,
                markeredgewidth=0)  # fmt: skip
        ax.plot([bound.value] * 2, [place - 0.4, place + 0.4], color="#66707a", linewidth=1.2)
    ax.set_yticks(range(len(parts)), [label for label, *_ in parts])
    where = f"n = {int(rows['n'].iloc[0])}, λ = {rows['penalty'].iloc[0]:g}"
    ax.set(xscale="log", xlabel=f"relative difference, {where}", ylim=(len(parts) - 0.4, -0.6))
    panel_title(ax, "bars: the bounds; red: controls")
    return fig


_QUICK: dict[str, Any] = {
    "compared": list(COMPARED),
    "n": 400,
    "d": 8,
    "width": 256,
    "penalty": 1e-3,
    "draws": 256,
}

STUDY = Study(
    name=NAME,
    source="Kernel ridge regression (the rivals of every study)",
    statement=(
        "Kernel ridge with the kernel of some features is ridge on these features, for inputs, "
        "random features and gradients alike, and by every solver."
    ),
    settings={
        "smoke": _QUICK | {"n": 60, "width": 32, "draws": 64},
        "quick": _QUICK,
        "full": _QUICK | {"n": 2500, "d": 32, "width": 1024, "draws": 2048},
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
**What it measures.** Two ways to one function are computed on the same sample (a teacher of degrees
1 and 2, a constant and noise) and compared on fresh points: |f − g|/|g|. The learners are those
that every study uses as rivals: `KernelRidge`, `RandomFeatures`, `tangent_model`. For the path,
the validation errors of 13 λ are compared, and the largest relative difference counts.

**The bounds.** Rounding leaves about n ε κ, with κ = |K/n|/λ the condition of what is solved. These
kernels have |K/n| of at most about 3, and λ = 10⁻³: at n = 4096 that is 3·10⁻⁹. Conjugate
gradients stop at a relative residual of 10⁻¹⁰, which times κ is 3·10⁻⁷. A smaller λ needs wider
bounds (`--set penalty=…`).

**Controls.** Each is the mistake that one would make: no intercept, another convention for λ, the
kernel of another draw for that of the network at hand, the start of the network forgotten,
a solver stopped too early.

**What it cannot tell.** Whether any of these learns anything.

**Example.** `featlearn run {NAME} --set n=200 --set compared=inputs,tangent`
""",
)
