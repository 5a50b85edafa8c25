"""Algorithm 1 as written: it reaches ε, finds every k_ℓ, and distils what it has trained."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from featlearn import measures  # loads SciPy when a measure is first used, not here
from featlearn.claims import AtMost, Finding, Measured, Role, judge
from featlearn.engine import Cell, Outcome, Settings, Study
from featlearn.studies.hierarchy._sources import PAPER

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NAME = "hierarchy/algorithm-1"
WRITTEN = "Algorithm 1"
ONE_DRAW = "one draw of R"
# What is changed in each: Thres_dn(2) and Thres_dn(L) by factors, λ3…λ5 and the step size of
# layers below an unlocked one by what they are multiplied with, as is α_3.
PLAIN = {
    "down_first": 1.0,
    "down_last": 1.0,
    "distil": 1.0,
    "below": 1.0,
    "alpha": 1.0,
    "candidates": 256,
}
TRUTH = "01 02"  # J_2 = {0, 1}, J_3 = {0, 2}
FROZEN, UNDISTILLED, EARLY = "lower layers frozen", "no distillation", "K_3 starts early"
OTHERS: dict[str, dict[str, float]] = {
    FROZEN: {"below": 0.0},
    UNDISTILLED: {"distil": 0.0},
    EARLY: {"down_last": 600.0},  # 1.2 of what layer 3 brings: as soon as it is unlocked
    ONE_DRAW: {"candidates": 1},  # measured, without a bound
}
PASSED = (
    *("d", "kappa", "share", "n", "draws", "neurons"),
    *("most", "steps", "every", "batch", "error"),
)
JUDGED = "adam"  # for other optimisers the same is measured
EQUAL = AtMost(1e-2)  # distilled against trained, of the variance
FOUND = AtMost(0.0)  # Σ_ℓ |k_ℓ found − k_ℓ|


def grid(s: Settings) -> list[dict[str, Any]]:
    """Algorithm 1 for every law and depth; the other variants for the first law alone."""
    cells = [
        _cell(s, law, depth, WRITTEN, optimiser)
        for optimiser in s["optimisers"]
        for law in s["laws"]
        for depth in s["depths"]
    ]
    deepest = max(s["depths"])
    others = [name for name in OTHERS if name in s["others"]]
    return cells + [_cell(s, s["laws"][0], deepest, name, s["optimisers"][0]) for name in others]


def _cell(s: Settings, law: str, depth: int, variant: str, optimiser: str) -> dict[str, Any]:
    return {
        "variant": variant,
        "law": law,
        "optimiser": optimiser,
        "widths": list(s["widths"][: depth - 1]),
        "graph": TRUTH[: 3 * depth - 4],
        "tried": TRUTH[: 3 * depth - 4],
        **{name: s[name] for name in PASSED},
        **PLAIN,
        **OTHERS.get(variant, {}),
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
    for where, depth, group in _problems(written):
        measured = group["optimiser"].iloc[0] != JUDGED
        findings += [check(group, where, measured=measured) for check in (_error, _widths, _equal)]
        findings += [
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
                  predicted="worse")
            for label, column in (
                ("E(G* − F)² / E G*²", "risk"), ("Σ |k found − k|", "wrong_widths"))
        ]  # fmt: skip
    return findings


def _problems(rows: "pd.DataFrame") -> "list[tuple[str, int, pd.DataFrame]]":
    """What it is called, L and the rows, for each law, depth and optimiser."""
    keys = (rows["law"], rows["widths"].map(len) + 1, rows["optimiser"])
    found = []
    for law, depth, optimiser in dict.fromkeys(zip(*keys, strict=True)):
        mine = (keys[0] == law) & (keys[1] == depth) & (keys[2] == optimiser)
        found.append((f"{law}, L = {depth}, {optimiser}: ", depth, rows[mine]))
    return found


def _error(rows: "pd.DataFrame", where: str, **how: Any) -> Finding:
    bound = AtMost(float(rows["error"].iloc[0]) ** 2)
    return _judged(rows, f"{where}E(G* − F)² / E G*²", "risk", bound, **how)


def _widths(rows: "pd.DataFrame", where: str, **how: Any) -> Finding:
    return _judged(rows, f"{where}Σ |k found − k|", "wrong_widths", FOUND, **how)


def _equal(rows: "pd.DataFrame", where: str, **how: Any) -> Finding:
    label = f"{where}E(distilled − trained)² / Var G*"
    return _judged(rows, label, "distilled_gap", EQUAL, **how)


def _judged(
    rows: "pd.DataFrame",
    label: str,
    column: str,
    bound: AtMost,
    *,
    measured: bool = False,
    role: Role = "claim",
) -> Finding:
    flags = ("diverged",) if (rows["state"] != "done").any() else ()
    given = None if measured else bound
    return judge(NAME, label, _median(rows, column), given, predicted=str(bound), role=role,
                 flags=flags)  # fmt: skip


def _median(rows: "pd.DataFrame", column: str) -> Measured:
    """Over the seeds; what diverged is infinite."""
    values = rows[column].where(rows["state"] == "done", float("inf"))
    return measures.median_interval(values.to_numpy(float))


def figure(rows: "pd.DataFrame") -> "Figure":
    """The objective, and the feature error of layer 2, against the step; with the controls."""
    from featlearn.report.figures import curve_panel, new_figure, panel_title

    first = rows[
        (rows["law"] == rows["law"].iloc[0]) & (rows["optimiser"] == rows["optimiser"].iloc[0])
    ]
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
    "others": [*OTHERS],
    "kappa": 1.5,
    "share": 0.09,
    "n": 10_000,
    "draws": 4096,
    "neurons": 24,
    "most": 4,
    "steps": 1500,
    "every": 50,
    "batch": 128,
    "optimisers": ["adam"],
    "error": 0.01,
}

STUDY = Study(
    name=NAME,
    source=PAPER,
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
            "optimisers": ["adam", "momentum"],
            "n": 100_000,
            "draws": 20_000,
            "neurons": 40,
            "steps": 10_000,
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
    notes=f"""
**What it measures.** Three statements about one training on a fixed sample of *n* points: the error
of the final network *F* on fresh points, over E G*², is at most ε²; every *k*_ℓ that the algorithm
read from a spectrum is the true one; the distilled quadratic network M = RK, in which the narrow K
stands for the wide W, differs from *F* by at most 10⁻² of the variance. The feature error is min_U
E‖S* − U S‖² / E‖S*‖² over orthogonal U: of layer 2 when layer 3 is unlocked, and at the end.

**The problem.** L = 3, J_2 = {{0, 1}}, J_3 = {{0, 2}} (the smallest graph with a skip), singular
values in [1/κ, κ] with κ = 1.5, uniform inputs. The information gap is set by the draw: α_3 is such
that layer 3 has 9 % of the second moment of layer 2. (With equal α_3 that share differs tenfold
from draw to draw, and so do the levels at which the objective stalls.)

**The constants, and how they were chosen.** In units in which E y² = 1: Thres_up = (∞, 0.135),
Thres_dn = (0.18, 1.8·10⁻⁴), which are 1.5, 2 and 1/500 of what layer 3 brings; λ3, λ4, λ5 = (0.5,
0.15, 0.05) α_ℓ², λ6 = 3·10⁻⁴ ε0²; singular values above a tenth of the largest count; m = 24, batch
128, ε = 0.01; Adam with step size 0.012·√ε0, sixfold for layer 3; noise of 10⁻⁵ in the gradient of
W (with 10⁻³ no layer 3 was found). B′ = 100 is never reached. They come from runs on targets and
samples drawn from other names, in which all that was tuned was whether and how soon trainings get
through.

**A judgement that was changed.** The first verdict was open: with R the best conditioned of 32
draws and smaller step sizes, two of the ten seeds had not found k_3 after 4000 steps and a third
was late, though all that had finished were right. No bound was moved. On targets from other names
the cause was looked for and found in R: with the best of 256 draws every one of eight seeds, of
which one had stalled and two had been slow, reached ε within 950 steps. So R is now the best of
256, steps are 1500, and the step sizes are those that served there; λ3…λ5 were raised fivefold
later, for Gaussian inputs.

**What is not as the document writes it.** (1) The rules are asked every 50 steps and not at every
one. (2) The step size falls with the error level; the paper's is 1/poly(d/ε) from the start. (3)
The statements are judged for Adam. SGD with momentum (0.1·√ε0, thirtyfold for layer 3, λ3…λ5
twofold) is measured in the full tier; on the quick tier's problem with 3000 steps its medians meet
the bounds too (2.5·10⁻⁵, 0, 7·10⁻³), but two of ten seeds do not find every k_ℓ: one reads k_2 at
the first look, when W_2 shows one direction, and one does not find layer 3's second feature. Plain
SGD goes the same way more slowly. (4) R is the best conditioned of 256 draws. *The theorem needs of
R that its squares reach every quadratic form of S_ℓ with a constant 1/poly(k). At laptop size that
constant is what training feels: the median ratio of singular values is 0.04 for k = 2, and a
quarter of the draws is below 0.01. See the measured rows, in which R is drawn once.*

**Controls.** With the layers below an unlocked one frozen there is no correction: layer 2 keeps
what it took up of layer 3, and the error stays two hundred times above ε². Without λ3…λ5 the last K
stays where its SVD put it, while W moves on: the distilled network is another function. With
Thres_dn(3) at the level at which layer 3 is unlocked, its width is read from a spectrum that is not
there yet.

**Why one program serves.** *k*_ℓ is found at run time and is a shape. K_ℓ and R_ℓ have room for k_ℓ
= 4 and rows of zeros beyond what is found, so that unlocking is a change of numbers and a fleet of
trainings, each in its own phase, is one compiled program. The alternative, stopping the program at
every unlocking, would compile once for every width and run members one by one.

**What it cannot tell.** Whether other constants do; whether the stages are needed (joint training
without any is `hierarchy/theorem-1`). Gaussian inputs, whose labels of degree 8 have heavy tails,
are in the full tier alone: at the quick tier's sizes the same constants leave a median error of
1.1·10⁻⁴ after 4000 steps and a wrong k_ℓ for half of ten seeds; with 40 000 points and batches of
256 four of five reached ε, and three of five with every k_ℓ right.

**Example.** `featlearn run {NAME} --set d=16`
""",
)
