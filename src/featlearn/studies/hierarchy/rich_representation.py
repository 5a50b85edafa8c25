"""Many random neurons give the next layer what it needs; two neurons of one basis do not."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from featlearn.claims import AtMost, Finding, Role, judge
from featlearn.engine import Cell, Outcome, Settings, Study
from featlearn.studies._judging import by, median, select
from featlearn.studies.hierarchy._sources import SLIDES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NAME = "hierarchy/rich-representation"
LEARNED = AtMost(0.01)  # of what layer 1 leaves; two neurons at an angle θ leave sin²(4θ)/4
WHAT = "what layer 2 leaves, over what layer 1 leaves"
SAME = AtMost(1e-3)  # of the signal of layer 1
SLIDES_SHARE = (24 / 25) ** 2 / 4  # tan θ = 2


def grid(s: Settings) -> list[dict[str, Any]]:
    """Trained first layers of every width, and the two neurons of the slides and of the truth."""
    common = {name: s[name] for name in ("d", "alpha", "n", "steps", "start")}
    given = [{"basis": basis, "m": 2} for basis in ("slides", "true")]
    trained = [{"basis": "trained", "m": int(m)} for m in s["widths"]]
    return [common | which for which in trained + given]


def shape(parameters: Any) -> bool:
    """Any cells: nothing is compiled."""
    return True


def run(cells: Sequence[Cell]) -> list[Outcome]:
    """One fleet: JAX is loaded here, not when the studies are listed."""
    from featlearn.studies.hierarchy._bases import measure

    return measure(cells)


def judge_rows(rows: "pd.DataFrame") -> list[Finding]:
    """What layer 2 leaves on each first layer, and that all first layers are equally good."""
    trained = by(select(rows, basis="trained"), "m")
    most = max(trained)
    two = select(rows, basis="slides")
    findings = [
        _left(trained[most], f"{most:g} trained neurons", "claim", "0: all of it is learned"),
        _same(trained[most], f"{most:g} trained neurons"),
        _same(two, "the slides' two neurons"),
        _left(two, "the slides' two neurons", "control", f"sin²(4θ)/4 = {SLIDES_SHARE:.3f}"),
        _left(trained[min(trained)], f"{min(trained):g} trained neurons", "control",
              "sin²(4θ)/4 with any θ: 0.125"),
    ]  # fmt: skip
    findings += [
        judge(NAME, f"{m:g} trained neurons: {WHAT}", median(group, "layer_two"), None,
              predicted="0 from 3 neurons on")
        for m, group in list(trained.items())[1:-1]
    ]  # fmt: skip
    return [
        *findings,
        judge(NAME, f"the true two neurons: {WHAT}",
              median(select(rows, basis="true"), "layer_two"), None, predicted="0"),
        judge(NAME, f"{most:g} trained neurons: E w⁴/(E w²)² of their parts in x₁ and x₂",
              median(trained[most], "kurtosis"), None,
              predicted=f"{3 * most / (most + 2):.2f}, as of Gaussian columns made orthonormal"),
    ]  # fmt: skip


def _left(rows: "pd.DataFrame", name: str, role: Role, predicted: str) -> Finding:
    measured = median(rows, "layer_two")
    return judge(NAME, f"{name}: {WHAT}", measured, LEARNED, role=role, predicted=predicted)


def _same(rows: "pd.DataFrame", name: str) -> Finding:
    return judge(NAME, f"{name}: error of layer 1 over its signal", median(rows, "layer_one"),
                 SAME, predicted="0 for both")  # fmt: skip


def figure(rows: "pd.DataFrame") -> "Figure":
    """What layer 2 leaves against the number of neurons, and the error of layer 1 beside it."""
    from featlearn.report.figures import curve_panel, new_figure, panel_title

    names = {"trained": "trained", "slides": "slides' basis", "true": "true basis"}
    shown = rows.assign(
        basis=rows["basis"].map(names),
        layer_one=rows["layer_one"].clip(lower=1e-16),
        layer_two=rows["layer_two"].clip(lower=1e-16),
    )
    fig, (left, right) = new_figure(2, height=3.2)
    curve_panel(left, shown, "m", "layer_one", "basis", direct=False)
    left.set(xlabel="neurons m", ylabel="error of layer 1")
    panel_title(left, "layer 1 does not tell them apart")
    curve_panel(right, shown, "m", "layer_two", "basis")
    right.set(xlabel="neurons m", ylabel="left over by layer 2")
    panel_title(right, "layer 2 does")
    for ax in (left, right):
        ax.set_ylim(1e-17, 10)
    return fig


_QUICK: dict[str, Any] = {
    "d": 100,
    "alpha": 0.3,
    "n": 2000,
    "widths": [2, 3, 4, 8, 20],
    "steps": 400,
    "start": 1e-4,
}

STUDY = Study(
    name=NAME,
    source=SLIDES,
    statement=(
        "On toy (a) *m* ≫ 2 neurons trained from a random start let layer 2 learn all that layer 1 "
        "leaves; two neurons of another basis, at the same error of layer 1, do not."
    ),
    settings={
        "smoke": _QUICK | {"d": 20, "n": 1000, "widths": [2, 3, 8]},
        "quick": _QUICK,
        "full": _QUICK | {"d": 1000, "n": 8000, "widths": [2, 3, 4, 6, 8, 12, 20]},
    },
    seeds={"smoke": 4, "quick": 21, "full": 21},
    grid=grid,
    shape=shape,
    run=run,
    judge=judge_rows,
    figure=figure,
    overlap=True,
    order=9,
    notes=f"""
**What it measures.** G = x₁² + x₂² + α(x₁⁴ + x₂⁴). Layer 1 is trained on G by gradient descent over
the whole law of x in dimension d, from a small Gaussian start; its best is (1 + 6α)(x₁² + x₂²).
Layer 2, any quadratic function of the outputs of layer 1, is then fitted by least squares, and the
error that remains on fresh points is divided by that of the best quadratic function of x alone.

**Why two neurons are dead.** ⅕(x₁ + 2x₂)² + ⅕(2x₁ − x₂)² = x₁² + x₂², so layer 1 is as good as with
x₁² and x₂². In polar coordinates x₁⁴ + x₂⁴ = r⁴(3 + cos 4φ)/4, and two neurons at an angle θ have
products r⁴, r⁴ cos 2(φ − θ), r⁴ cos 4(φ − θ): sin²(4θ)/4 of what is left is out of reach, 0.23 for
the slides' basis and 0.125 in the middle over all angles. Three neurons in general position have
all products of x₁ and x₂; many have them well conditioned, as a random start makes them a random
frame of the plane.

**The controls.** The same statement for the slides' two neurons, and for two trained ones.

**A judgement that was changed.** At first there were 11 seeds, and the control of two trained
neurons was open. Their angle is uniform, so that one in eight leaves less than 0.01, and with 11
seeds the interval of the median reached down to that. Now there are 21 seeds.

**What it cannot tell.** Whether gradient descent finds the coefficients of layer 2, and what layers
trained together make of a bad basis: two neurons that go on training can turn.

**Example.** `featlearn run {NAME} --set d=1000`
""",
)
