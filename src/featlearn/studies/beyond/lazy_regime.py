"""Under the three conditions a network is its tangent kernel, and without any of them it is not."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from featlearn.claims import AtMost, Between, Finding, Role, judge
from featlearn.engine import Cell, Outcome, Settings, Study
from featlearn.studies._judging import by, decay, flags_of, median, select

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NAME = "beyond/lazy-regime"
SOURCE = "Over-parameterized networks beyond kernels (slides)"
SIGNS = Between(-0.6, -0.4)  # a neuron moves by 1/m and sees 1/√m: the share is their ratio
GAP = AtMost(-0.4)  # at most of order m^(−½), which is a bound; a tenth for finite m
DIAL = Between(-1.2, -0.8)  # c f must reach one margin, so that neurons move by 1/c
LAZY, DIALLED = "three conditions", "output scale"
BROKEN = {
    "samples": "as many samples as m/16",
    "start": "start N(0, 2/m²)",
    "rate": "learning rate ∝ 1/√m",
}
PER_CELL = ("n", "rate", "scale", "start_scale", "condition")


def grid(s: Settings) -> list[dict[str, Any]]:
    """All widths and depths under the conditions; broken ones and the dial for two layers."""
    cells = [
        _cell(s, depth, m)
        for depth, widths in ((2, s["widths"]), (3, s["deep_widths"]))
        for m in widths
    ]
    cells += [_cell(s, 2, m, condition) for condition in BROKEN for m in s["widths"]]
    middle = sorted(s["widths"])[len(s["widths"]) // 2]
    return cells + [_cell(s, 2, middle, DIALLED, scale) for scale in s["scales"]]


def _cell(
    s: Settings, depth: int, m: int, condition: str = LAZY, scale: float = 1.0
) -> dict[str, Any]:
    many = max(s["n"], m // 16)
    n = many if condition == "samples" else s["n"]
    rate = s["large_rate"] / m**0.5 if condition == "rate" else s["rate"] * n / m
    return {
        "condition": condition,
        "d": int(s["d"]),
        "width": int(m),
        "depth": int(depth),
        "n": int(n),
        "rows": int(many if depth == 2 else n),
        "rate": float(rate),
        "scale": float(scale),
        "start_scale": float(m**-0.5 if condition == "start" else 1.0),
        "moments": [int(s["steps"] * part) for part in (0.05, 0.25, 1)],
    }


def shape(parameters: Mapping[str, Any]) -> Hashable:
    """One program for each width and depth."""
    return tuple(sorted((k, str(v)) for k, v in parameters.items() if k not in PER_CELL))


def run(cells: Sequence[Cell]) -> list[Outcome]:
    """One fleet: JAX is loaded here, not when the studies are listed."""
    from featlearn.studies.beyond._lazy import measure_lazy

    return measure_lazy(cells)


def judge_rows(rows: "pd.DataFrame") -> list[Finding]:
    """How the gap and the share of changed signs fall with the width, condition by condition."""
    findings = []
    for depth, at in by(select(rows, condition=LAZY), "depth").items():
        findings += _slopes(at, f"{depth:g} layers")
        findings += [
            judge(NAME, f"{depth:g} layers: slope of log {words} in log m",
                  decay(at, "width", column).measured, None, predicted=predicted)
            for column, words, predicted in (
                ("parameter_gap", "gap in parameters", "−¼, see the notes"),
                ("kernel_change", "change of the kernel", "−½ at most"),
            )
        ]  # fmt: skip
    for condition, name in BROKEN.items():
        findings += _slopes(select(rows, condition=condition), name, "control")
    dial = select(rows, condition=DIALLED)
    findings.append(
        judge(NAME, "slope of log changed signs in log output scale",
              decay(dial, "scale", "signs").measured, DIAL, flags=flags_of(dial))
    )  # fmt: skip
    return findings + _sizes(rows)


def _slopes(rows: "pd.DataFrame", name: str, role: Role = "claim") -> list[Finding]:
    return [
        judge(NAME, f"{name}: slope of log {words} in log m", decay(rows, "width", column).measured,
              bound, role=role, flags=flags_of(rows))
        for column, words, bound in (("signs", "changed signs", SIGNS), ("gap", "gap", GAP))
    ]  # fmt: skip


def _sizes(rows: "pd.DataFrame") -> list[Finding]:
    """What the slopes speak of, at the largest width."""
    two = select(rows, depth=2)
    at = two[two["width"] == two["width"].max()]
    names = {LAZY: LAZY, **BROKEN}
    m = int(at["width"].iloc[0])
    return [
        judge(NAME, f"{name}, m = {m}: gap", median(select(at, condition=condition), "gap"), None,
              predicted="o(1) under all three")
        for condition, name in names.items()
    ]  # fmt: skip


def figure(rows: "pd.DataFrame") -> "Figure":
    """Gap and changed signs against the width, and along training."""
    from featlearn.report.figures import curve_panel, new_figure, panel_title

    names = {LAZY: "all three", **BROKEN}
    two = select(rows, depth=2)
    wide = two[two["condition"] != DIALLED]
    wide = wide.assign(series=wide["condition"].map(names))
    fig, axes = new_figure(2, 2, height=3.1)
    for ax, column, words in ((axes[0], "gap", "gap"), (axes[1], "signs", "changed signs")):
        ax.set(xlabel="width m", ylabel=words)
        curve_panel(ax, wide, "width", column, "series", direct=ax is axes[1])
        _guide(ax, select(wide, condition=LAZY), column)
        panel_title(ax, f"{words}; dashed: m^(−½)")
    lazy = _along(select(rows, condition=LAZY, depth=2))
    axes[2].set(xlabel="step", ylabel="gap")
    curve_panel(axes[2], lazy, "step", "gap", "width", labels=_widths(lazy))
    panel_title(axes[2], "along training, two layers")
    dial = select(rows, condition=DIALLED)
    axes[3].set(xlabel="output scale c", ylabel="changed signs")
    curve_panel(axes[3], dial, "scale", "signs", "width", direct=False)
    panel_title(axes[3], f"the lazy–rich dial, m = {int(dial['width'].iloc[0])}")
    return fig


def _guide(ax: Any, rows: "pd.DataFrame", column: str) -> None:
    ends = [float(rows["width"].min()), float(rows["width"].max())]
    first = float(rows.loc[rows["width"] == ends[0], column].median())
    ax.plot(ends, [first, first * (ends[0] / ends[1]) ** 0.5], color="#66707a", linewidth=0.8,
            linestyle=(0, (4, 3)), zorder=1.2)  # fmt: skip


def _along(rows: "pd.DataFrame") -> "pd.DataFrame":
    """A row for each moment of each cell."""
    import pandas as pd

    *early, last = rows["moments"].iloc[0]
    parts = [rows.assign(step=step, gap=rows[f"gap_at_{step}"]) for step in early]
    return pd.concat([*parts, rows.assign(step=last)], ignore_index=True)


def _widths(rows: "pd.DataFrame") -> dict[Hashable, str]:
    return {m: f"m = {int(m)}" for m in rows["width"].unique()}


_QUICK: dict[str, Any] = {
    "d": 16,
    "n": 8,
    "widths": [128, 384, 1152],
    "deep_widths": [128, 384],
    "rate": 0.5,
    "large_rate": 64.0,
    "steps": 200,
    "scales": [1.0, 4.0, 16.0],
}

STUDY = Study(
    name=NAME,
    source=SOURCE,
    statement=(
        "A wide ReLU network, started at N(0, 2/*m*) and trained with a learning rate ≪ 1/√*m*, "
        "stays its tangent model: gap and changed signs fall like *m*^(−½)."
    ),
    settings={
        "smoke": _QUICK | {"n": 4, "widths": [64, 256], "deep_widths": [32, 64], "steps": 40},
        "quick": _QUICK,
        "full": _QUICK
        | {
            "widths": [128, 256, 512, 1024, 2048, 4096, 8192],
            "deep_widths": [64, 128, 256, 512, 1024, 2048],
        },
    },
    seeds={"smoke": 4, "quick": 10, "full": 20},
    grid=grid,
    shape=shape,
    run=run,
    judge=judge_rows,
    figure=figure,
    overlap=True,
    order=18,
    notes=f"""
**What it measures.** A network Σ a_i ReLU(⟨w_i, h⟩), a_i ~ N(0, 1), is trained on labels of random
sign by gradient descent on the logistic loss; so is its linear model, from the same start by the
same steps. On fresh points: the *gap* ‖f − f_lin‖/‖f − f_0‖ in function, with f_lin at the
trained weights, and the share of activations whose sign has changed; the gap in parameters,
‖W − V‖/‖V − W_0‖ with V where the linear model ends; the change of the kernel.

**What is predicted.** To fit its labels every neuron moves by order 1/m, and it sees numbers of
order 1/√m: a share m^(−½) changes sign. The document's bound for the gap is of that order too. For
two layers one expects less: the neurons that change sign add a_i times a number that is even in
a_i, so that only their fluctuation is left, √(m · m^(−½)) terms of size 1/m: m^(−¾). Hence
the share is judged as a rate and the gap as a bound.

**The gap in parameters** is reported without a threshold, for it was understood only after a pilot
had shown it: where a sign changes at a training point, that neuron's gradient changes by all
of itself, so that the relative gap is the root of the share: m^(−¼).

**The output scale** c is the lazy–rich dial: c (f − f_0) must reach the same margin, so neurons
move by 1/c, and the share of changed signs falls like 1/c.

**Controls.** Each condition in turn: as many samples as m/16, so that the network is wide but not
over-parameterised; a start N(0, 2/m²), so that neurons see what they move by; a learning rate
{_QUICK["large_rate"]:g}/√m, with which one step turns neurons over.

**A judgement that was changed.** The quick tier had two layers of 128, 512 and 2048 neurons at
first, and three layers of 64, 128 and 256. The first took more time than a quick study has. At the
second the slope of the changed signs was open, −0.44 [−0.49, −0.39]: with 64 neurons their share
is large, and the law is one for small shares. The bounds are the same.

**What it cannot tell.** Whether wide networks in use are lazy: they are trained with rates and
starts of their own.

**Example.** `featlearn run {NAME} --set widths=64,256 --set deep_widths=32,64`
""",
)
