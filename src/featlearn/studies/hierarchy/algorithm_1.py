"""Algorithm 1 as written: it reaches ε, finds every k_ℓ, and distils what it has trained."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from featlearn import measures  # loads SciPy when a measure is first used, not here
from featlearn.claims import AtMost, Finding, Measured, judge
from featlearn.engine import Cell, Outcome, Settings, Study

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NAME = "hierarchy/algorithm-1"
SOURCE = "How can deep learning perform deep (hierarchical) learning"
WRITTEN = "Algorithm 1"
ONE_DRAW = "one draw of R"
# What is changed in each: Thres_dn(2) and Thres_dn(L) by factors, λ3…λ5 and the step size of
# layers below an unlocked one by what they are multiplied with.
PLAIN = {"down_first": 1.0, "down_last": 1.0, "distil": 1.0, "below": 1.0}
FROZEN, UNDISTILLED, EARLY = "lower layers frozen", "no distillation", "K_3 starts early"
CONTROLS: dict[str, dict[str, float]] = {
    FROZEN: {"below": 0.0},
    UNDISTILLED: {"distil": 0.0},
    EARLY: {"down_last": 600.0},  # 1.2 of what layer 3 brings: as soon as it is unlocked
}
PASSED = (
    *("d", "kappa", "share", "n", "draws", "neurons"),
    *("most", "steps", "every", "batch", "rate", "error"),
)
EQUAL = AtMost(1e-2)  # distilled against trained, of the variance
FOUND = AtMost(0.0)  # Σ_ℓ |k_ℓ found − k_ℓ|


def grid(s: Settings) -> list[dict[str, Any]]:
    """Algorithm 1 for every law and depth; controls and the single draw at the first law."""
    cells = [_cell(s, law, depth, WRITTEN) for law in s["laws"] for depth in s["depths"]]
    deepest = max(s["depths"])
    others = [name for name in (*CONTROLS, ONE_DRAW) if name in s["others"]]
    return cells + [_cell(s, s["laws"][0], deepest, name) for name in others]


def _cell(s: Settings, law: str, depth: int, variant: str) -> dict[str, Any]:
    return {
        "variant": variant,
        "law": law,
        "widths": list(s["widths"][: depth - 1]),
        "first": [0, 1],
        "candidates": 1 if variant == ONE_DRAW else s["candidates"],
        **{name: s[name] for name in PASSED},
        **PLAIN,
        **CONTROLS.get(variant, {}),
    }


def shape(parameters: Mapping[str, Any]) -> Hashable:
    """Variants differ in numbers, and share a program with Algorithm 1 itself."""
    own = ("variant", *PLAIN)
    return tuple(
        (k, tuple(v) if isinstance(v, list) else v)
        for k, v in sorted(parameters.items())
        if k not in own
    )


def run(cells: Sequence[Cell]) -> list[Outcome]:
    """One fleet: JAX is loaded here, not when the studies are listed."""
    from featlearn.studies.hierarchy._algorithm_runs import measure_algorithm

    return measure_algorithm(cells)


def repeats(parameters: Mapping[str, Any], seeds: int) -> int:
    """A control, and the single draw, get six of ten seeds."""
    return seeds if parameters["variant"] == WRITTEN else max((6 * seeds) // 10, 1)


def judge_rows(rows: "pd.DataFrame") -> list[Finding]:
    """Three statements for every law and depth, each with the control that must fail it."""
    written = rows[rows["variant"] == WRITTEN]
    findings = []
    for law, depth, group in _problems(written):
        where = f"{law}, L = {depth}: "
        findings += [
            _error(group, where),
            _widths(group, where),
            _equal(group, where),
            judge(NAME, f"{where}E(G* − F̃)² / E G*², truncated", _median(group, "risk_truncated"),
                  None, predicted="as without truncation"),
            judge(NAME, f"{where}steps to ε", _median(group, "done_step"), None),
        ]  # fmt: skip
        findings += [
            judge(NAME, f"{where}feature error of layer {level}, before / after correction",
                  _median(group, f"corrected_{level}"), None, predicted="above 1")
            for level in range(2, depth)
        ]  # fmt: skip
    for name, check in ((FROZEN, _error), (UNDISTILLED, _equal), (EARLY, _widths)):
        group = rows[rows["variant"] == name]
        if len(group):
            findings.append(check(group, f"{name}: ", role="control"))
    single = rows[rows["variant"] == ONE_DRAW]
    if len(single):
        findings += [
            judge(NAME, f"{ONE_DRAW}: {label}", _median(single, column), None,
                  predicted="an ill-conditioned R is likely for small k")
            for label, column in (
                ("E(G* − F)² / E G*²", "risk"), ("Σ |k found − k|", "wrong_widths"))
        ]  # fmt: skip
    return findings


def _problems(rows: "pd.DataFrame") -> "list[tuple[str, int, pd.DataFrame]]":
    """The rows of each law and depth."""
    depths = rows["widths"].map(len) + 1
    return [
        (law, depth, rows[(rows["law"] == law) & (depths == depth)])
        for law in rows["law"].unique()
        for depth in sorted(depths[rows["law"] == law].unique())
    ]


def _error(rows: "pd.DataFrame", where: str, **role: Any) -> Finding:
    bound = AtMost(float(rows["error"].iloc[0]) ** 2)
    return judge(NAME, f"{where}E(G* − F)² / E G*²", _median(rows, "risk"), bound,
                 predicted=f"at most ε² = {bound.value:g}", flags=_flags(rows), **role)  # fmt: skip


def _widths(rows: "pd.DataFrame", where: str, **role: Any) -> Finding:
    return judge(NAME, f"{where}Σ |k found − k|", _median(rows, "wrong_widths"), FOUND,
                 predicted="0", flags=_flags(rows), **role)  # fmt: skip


def _equal(rows: "pd.DataFrame", where: str, **role: Any) -> Finding:
    return judge(NAME, f"{where}E(distilled − trained)² / Var G*", _median(rows, "distilled_gap"),
                 EQUAL, flags=_flags(rows), **role)  # fmt: skip


def _median(rows: "pd.DataFrame", column: str) -> Measured:
    return measures.median_interval(rows.loc[rows["state"] == "done", column].to_numpy(float))


def _flags(rows: "pd.DataFrame") -> tuple[str, ...]:
    return ("diverged",) if (rows["state"] != "done").any() else ()


def figure(rows: "pd.DataFrame") -> "Figure":
    """The objective, and the feature error of layer 2, against the step; with the controls."""
    from featlearn.report.figures import curve_panel, new_figure, panel_title

    first = rows[rows["law"] == rows["law"].iloc[0]]
    deepest = first[first["widths"].map(len) == first["widths"].map(len).max()]
    shown = deepest[deepest["variant"].isin([WRITTEN, FROZEN, UNDISTILLED])]
    fig, (left, right) = new_figure(2, height=3.4)
    left.set(xlabel="step", ylabel="objective / E y²")
    curve_panel(left, _curve(shown, "objective"), "step", "value", "variant", direct=False)
    left.axhline(float(rows["error"].iloc[0]) ** 2, color="#66707a", linewidth=0.8,
                 linestyle=(0, (4, 3)))  # fmt: skip
    panel_title(left, "the objective; dashed: ε²")
    right.set(xlabel="step", ylabel="feature error of layer 2 / E|S*|²")
    curve_panel(right, _curve(shown, "features_2"), "step", "value", "variant")
    unlock = deepest.loc[deepest["variant"] == WRITTEN, "unlock_3"].median()
    panel_title(right, f"layer 3 is unlocked at step {unlock:.0f}, and corrects layer 2")
    return fig


def _curve(rows: "pd.DataFrame", name: str) -> "pd.DataFrame":
    """One row for each run and step, from the columns `name@step`; the start has no logarithm."""
    import pandas as pd

    columns = {int(c.partition("@")[2]): c for c in rows.columns if c.startswith(f"{name}@")}
    parts = [rows.assign(step=step, value=rows[column]) for step, column in columns.items() if step]
    return pd.concat(parts, ignore_index=True)


_QUICK: dict[str, Any] = {
    "d": 12,
    "depths": [3],
    "widths": [2, 2],
    "laws": ["uniform"],
    "others": [*CONTROLS, ONE_DRAW],
    "kappa": 1.5,
    "share": 0.09,
    "n": 10_000,
    "draws": 4096,
    "neurons": 24,
    "most": 4,
    "candidates": 32,
    "steps": 4000,
    "every": 50,
    "batch": 128,
    "rate": 0.006,
    "error": 0.01,
}

STUDY = Study(
    name=NAME,
    source=SOURCE,
    statement=(
        "Algorithm 1 as written reaches ε, finds the true *k*_ℓ, and the quadratic network that it "
        "distils equals the one that it trained."
    ),
    settings={
        "smoke": _QUICK
        | {"d": 6, "widths": [1, 1], "steps": 200, "n": 1000, "draws": 512, "others": [FROZEN]},
        "quick": _QUICK,
        "full": _QUICK
        | {
            "d": 20,
            "depths": [2, 3],
            "widths": [3, 2],
            "laws": ["uniform", "Gaussian"],
            "n": 100_000,
            "draws": 20_000,
            "neurons": 40,
            "steps": 20_000,
            "batch": 256,
        },
    },
    seeds={"smoke": 2, "quick": 10, "full": 20},
    grid=grid,
    shape=shape,
    run=run,
    judge=judge_rows,
    figure=figure,
    repeats=repeats,
    overlap=True,
    order=14,
    notes="",
)
