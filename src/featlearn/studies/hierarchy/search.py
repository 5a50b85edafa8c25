"""Unknown α and connection graph: a search that chooses on held-out rows picks an equivalent."""

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

from featlearn import measures  # loads SciPy when a measure is first used, not here
from featlearn.claims import AtLeast, AtMost, Finding, Measured, judge
from featlearn.engine import Settings, Study
from featlearn.studies.hierarchy._sources import PAPER
from featlearn.studies.hierarchy.algorithm_1 import PASSED, PLAIN, TRUTH, run

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NAME = "hierarchy/search"
HAS_ALL = AtLeast(1.0)  # 1 where every connection of the target is in the graph that was chosen
CONTROL = "graphs without a connection of the target: "


def grid(s: Settings) -> list[dict[str, Any]]:
    """Every graph with every multiple of the true α_3."""
    return [
        {
            "law": "uniform",
            "optimiser": "adam",
            "widths": [2, 2],
            "graph": TRUTH,
            "tried": tried,
            **{name: s[name] for name in PASSED},
            **PLAIN,
            "alpha": alpha,
        }
        for tried in s["graphs"]
        for alpha in s["alphas"]
    ]


def shape(parameters: Mapping[str, Any]) -> Hashable:
    """One program for a graph and every α."""
    return tuple(
        (k, tuple(v) if isinstance(v, list) else v)
        for k, v in sorted(parameters.items())
        if k not in PLAIN
    )


def judge_rows(rows: "pd.DataFrame") -> list[Finding]:
    """What the search chooses on each target, among all graphs and among those that lack one."""
    chosen, poor = _chosen(rows), _chosen(rows[~rows["tried"].map(_has_all)])
    error = float(rows["error"].iloc[0]) ** 2
    findings = [
        judge(NAME, "the chosen graph has every connection of the target",
              _median(chosen["tried"].map(_has_all).astype(float)), HAS_ALL, predicted="yes: 1"),
        judge(NAME, "chosen: E(G* − F)² / E G*²", _median(chosen["risk"]), AtMost(error),
              predicted=f"at most ε² = {error:g}"),
        judge(NAME, f"{CONTROL}E(G* − F)² / E G*² of the chosen", _median(poor["risk"]),
              AtMost(error), role="control"),
        judge(NAME, "chosen multiple of the true α_3", _median(chosen["alpha"]), None,
              predicted="any: W takes up the factor"),
    ]  # fmt: skip
    return findings + [
        judge(NAME, f"graph {tried}, best α: E(G* − F)² / E G*²",
              _median(_chosen(rows[rows["tried"] == tried])["risk"]), None)
        for tried in rows["tried"].unique()
    ]  # fmt: skip


def _chosen(rows: "pd.DataFrame") -> "pd.DataFrame":
    """The row of least validation error for each target; one that diverged is not chosen."""
    good = rows[rows["state"] == "done"]
    return good.loc[good.groupby("repetition")["validation"].idxmin()]


def _has_all(tried: str) -> bool:
    """Whether every level that a layer of the target reads is read here too."""
    pairs = zip(TRUTH.split(), tried.split(), strict=True)
    return all(set(true) <= set(read) for true, read in pairs)


def _median(values: "pd.Series") -> Measured:
    return measures.median_interval(values.to_numpy(float))


def figure(rows: "pd.DataFrame") -> "Figure":
    """Error on held-out rows against the multiple of α_3, graph by graph."""
    from featlearn.report.figures import curve_panel, new_figure, panel_title

    fig, (ax,) = new_figure(1, height=3.4)
    ax.set(xlabel="α₃ given / true", ylabel="validation error / E y²")
    named = rows.assign(series=rows["tried"].map(_named))
    curve_panel(ax, named, "alpha", "validation", "series")
    panel_title(ax, f"the target reads {_named(TRUTH)}")
    return fig


def _named(graph: str) -> str:
    """ "01 02" as J₂ = {0, 1}, J₃ = {0, 2}."""
    sets = ("{" + ", ".join(word) + "}" for word in graph.split())
    return ", ".join(f"J{'₂₃₄₅'[i]} = {each}" for i, each in enumerate(sets))


_QUICK: dict[str, Any] = {
    "d": 12,
    "graphs": [TRUTH, "1 02", "01 2"],
    "alphas": [0.3, 1.0, 3.0],
    "kappa": 1.5,
    "share": 0.09,
    "n": 10_000,
    "draws": 2048,
    "neurons": 24,
    "most": 4,
    "steps": 1000,
    "every": 50,
    "batch": 128,
    "error": 0.01,
}

STUDY = Study(
    name=NAME,
    source=PAPER,
    statement=(
        "Where α and the connection graph are unknown, training with each of them and choosing on "
        "held-out rows picks the truth or an equivalent."
    ),
    settings={
        "smoke": _QUICK
        | {"d": 6, "graphs": [TRUTH, "1 02"], "alphas": [1.0], "steps": 200, "n": 1000}
        | {"draws": 512},
        "quick": _QUICK,
        "full": _QUICK
        | {
            "d": 20,
            "graphs": [TRUTH, "1 02", "0 02", "01 2", "01 12", "01 012"],
            "alphas": [0.1, 0.3, 1.0, 3.0, 10.0],
            "n": 100_000,
            "draws": 20_000,
            "neurons": 40,
            "steps": 6000,
            "batch": 256,
        },
    },
    seeds={"smoke": 2, "quick": 6, "full": 10},
    grid=grid,
    shape=shape,
    run=run,
    judge=judge_rows,
    figure=figure,
    overlap=True,
    order=19,
    notes=f"""
**What it measures.** The target of `hierarchy/algorithm-1`; the learner is trained by Algorithm 1
with every graph and every multiple of the true α_3 on the same sample, and the pair with the least
error on the fifth of the rows that is held out is chosen. A graph is an equivalent of the truth
when it has every connection of it, for what is more can be left at zero; any α is, for W and K take
up the factor, and only the step size and the penalties notice.

**Graphs are fleets, α is a number.** A graph changes the shapes of W and K, so that each is
compiled by itself; a grid of α is one program.

**The control.** The same choice among the graphs that lack a connection of the target: what is
chosen then must not reach ε.

**What it cannot tell.** Which of two equivalents is the truth; no sample can.

**Example.** `featlearn run {NAME} --set alphas=1`
""",
)
