"""Each joint round takes a factor proportional to α off the error of the lower layer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from featlearn.claims import AtLeast, Between, Finding, Measured, Role, judge
from featlearn.engine import Cell, Outcome, Settings, Study
from featlearn.studies._judging import by, decay, median, select
from featlearn.studies.hierarchy._sources import PAPER

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NAME = "hierarchy/correction-rate"
PROPORTIONAL = Between(0.8, 1.2)
STALLS = AtLeast(0.9)  # a round that takes less than a tenth off the error gets nowhere
SMALL = 0.1  # gaps up to here are small against 7/24
UNIFORM_RATE = 24 / 7  # 2 E u⁴/E u² of u = x² − 1
GAUSSIAN_RATE = 60.0


def grid(s: Settings) -> list[dict[str, Any]]:
    """Samples with every gap, jointly and layer by layer; then the whole law without draws."""

    def cell(alpha: float, n: int, **change: Any) -> dict[str, Any]:
        whole = {"alpha": float(alpha), "n": int(n), "law": "uniform", "joint": True}
        return whole | {"rounds": int(s["rounds"])} | change

    drawn = [cell(a, s["n"], joint=joint) for joint in (True, False) for a in s["alphas"]]
    exact = [cell(a, 0) for a in s["exact_alphas"]]
    return drawn + exact + [cell(a, 0, law="gaussian") for a in s["gaussian_alphas"]]


def shape(parameters: Any) -> bool:
    """Any cells: nothing is compiled."""
    return True


def repeats(parameters: Any, seeds: int) -> int:
    """The whole law is the same for every seed."""
    return seeds if parameters["n"] else 1


def run(cells: Sequence[Cell]) -> list[Outcome]:
    """One fleet: JAX is loaded here, not when the studies are listed."""
    from featlearn.studies.hierarchy._rounds import measure

    return measure(cells)


def judge_rows(rows: "pd.DataFrame") -> list[Finding]:
    """The slope of the factor in α, the stall at the largest α, and the constants."""
    drawn = rows[rows["n"] > 0]
    joint = select(drawn, joint=True)
    return [
        *_findings(joint),
        *_findings(select(drawn, joint=False), "layer by layer: "),
        *_stalls(joint),
        *_constants(rows),
    ]


def _findings(rows: "pd.DataFrame", control: str = "") -> list[Finding]:
    small = rows[rows["alpha"] <= SMALL]
    return [
        judge(NAME, f"{control}slope of log(factor of a round) in log α, α ≤ {SMALL:g}",
              decay(small, "alpha", "factor").measured, PROPORTIONAL,
              role="control" if control else "claim", flags=_flags(small),
              predicted="1, in [0.8, 1.2]")
    ]  # fmt: skip


def _stalls(rows: "pd.DataFrame") -> list[Finding]:
    """At the largest gap, and as a control at the largest of the small ones."""
    largest = float(rows["alpha"].max())
    small = float(rows.loc[rows["alpha"] <= SMALL, "alpha"].max())
    ends: tuple[tuple[float, str, Role], ...] = (
        (largest, "", "claim"),
        (small, "with the information gap: ", "control"),
    )
    return [
        judge(NAME, f"{name}α = {alpha:g}: factor of a late round",
              median(select(rows, alpha=alpha), "late_factor"), STALLS, role=role,
              predicted=f"{UNIFORM_RATE * alpha:.2f}; the rounds stall from α = 7/24 on")
        for alpha, name, role in ends
    ]  # fmt: skip


def _constants(rows: "pd.DataFrame") -> list[Finding]:
    """Under the whole law, which has no spread: the factor of a late round, and the start."""
    found = []
    for law, rate, size in (("uniform", UNIFORM_RATE, "1"), ("gaussian", GAUSSIAN_RATE, "100")):
        exact = by(select(rows[rows["n"] == 0], law=law), "alpha")
        found += [
            judge(NAME, f"{law} inputs, whole law, α = {alpha:g}: factor of a late round",
                  _exactly(at["late_factor"].iloc[0]), None,
                  predicted=f"2α E u⁴/E u² = {rate * alpha:.3g}")
            for alpha, at in exact.items()
        ]  # fmt: skip
        alpha, at = next(iter(exact.items()))
        found.append(
            judge(NAME, f"{law} inputs, whole law: error of layer 2 alone / α",
                  _exactly(at["error_0"].iloc[0] / alpha), None, predicted=f"of order {size}")
        )  # fmt: skip
    return found


def _exactly(value: float) -> Measured:
    """A number without draws."""
    return Measured(float(value), float(value), float(value), 1)


def _flags(rows: "pd.DataFrame") -> tuple[str, ...]:
    return ("diverged",) if (rows["state"] != "done").any() else ()


def figure(rows: "pd.DataFrame") -> "Figure":
    """The error round by round for every gap, and the factor of a round against the gap."""
    from featlearn.report.figures import curve_panel, new_figure, panel_title, slope_panel

    fig, (left, right) = new_figure(2, height=3.4)
    drawn = rows[rows["n"] > 0]
    joint = select(drawn, joint=True)
    curve_panel(left, _by_round(joint), "round", "error", "alpha", log={"y"},
                labels={a: f"α = {a:g}" for a in joint["alpha"].unique()})  # fmt: skip
    left.set(xlabel="round", ylabel="error of layer 2")
    left.set_xticks(range(0, int(rows["rounds"].max()) + 1, 3))
    panel_title(left, "joint rounds correct layer 2")
    small = joint[joint["alpha"] <= SMALL]
    each = {a: group["factor"].to_numpy(float) for a, group in by(small, "alpha").items()}
    slope_panel(right, list(each), each, slope=decay(small, "alpha", "factor").measured,
                references={"∝ α": 1.0}, name="joint", x_label="α",
                y_label="factor of a round")  # fmt: skip
    alone = select(drawn, joint=False)
    alone = alone[alone["alpha"] <= SMALL]
    still = {a: group["factor"].to_numpy(float) for a, group in by(alone, "alpha").items()}
    slope_panel(right, list(still), still, name="layer by layer", x_label="α",
                y_label="factor of a round")  # fmt: skip
    panel_title(right, "the factor is proportional to α")
    return fig


def _by_round(rows: "pd.DataFrame") -> "pd.DataFrame":
    """One row for each round of each cell."""
    columns = [c for c in rows.columns if c.startswith("error_")]
    long = rows.melt(["alpha", "repetition"], columns, "round", "error").dropna()
    return long.assign(round=long["round"].str.removeprefix("error_").astype(float))


_QUICK: dict[str, Any] = {
    "n": 2000,
    "rounds": 12,
    "alphas": [0.01, 0.02, 0.03, 0.05, 0.1, 0.3],
    "exact_alphas": [0.1, 0.3],
    "gaussian_alphas": [0.005, 0.03],
}

STUDY = Study(
    name=NAME,
    source=PAPER,
    statement=(
        "On toy (d) with bounded inputs every joint round of least squares contracts the error of "
        "layer 2 by a factor proportional to α, for α ≤ 0.1; at α = 0.3 the rounds stall."
    ),
    settings={
        "smoke": _QUICK | {"alphas": [0.02, 0.1, 0.3], "exact_alphas": [0.1]},
        "quick": _QUICK,
        "full": _QUICK
        | {
            "n": 100_000,
            "alphas": [0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3],
            "exact_alphas": [0.1, 0.15, 0.2, 0.25, 0.3],
            "gaussian_alphas": [0.005, 0.01, 0.015, 0.02, 0.03],
        },
    },
    seeds={"smoke": 4, "quick": 10, "full": 20},
    grid=grid,
    shape=shape,
    run=run,
    judge=judge_rows,
    figure=figure,
    overlap=True,
    order=11,
    repeats=repeats,
    notes=f"""
**What it measures.** Toy (d), G = u₁² + u₂² + α((u₁² + x₃)² + (u₂² + x₄)²) with u = x² − E x². A
round fits layer 2, any quadratic form in u₁ … u₄, and layer 3, quadratic in (q₁, x₃) and in
(q₂, x₄), together, where q₁ and q₂ are the parts of the form that the last round gave. The error of
layer 2 is that of its form, relative to u₁² + u₂², in L² of the true law; samples have no noise.

**Why α.** With q = u² + e, layer 3 gives α(q + x₃)², which is off by 2αe(u² + x₃) to first order.
Fitted together, what of that is a form in u comes back to layer 2, and a scale of u² does not, as
layer 3 takes it up. The slowest error is e = u₁u₃: its factor is 2α E u⁴/E u², which is 24α/7 for
uniform inputs and 60α for Gaussian ones. Hence rounds contract only for α < 7/24 ≈ 0.29, or for
α < 1/60: the information gap is needed, and how large it must be is a matter of the tails.

**How it is judged.** The factor is the geometric mean over rounds 3 to 6. The first round does
more: nearly all of the error of layer 2 alone is a wrong scale. Late rounds are those from 6 on.

**The controls.** Layer by layer, layer 2 is not fitted again and its factor is 1 whatever α is. For
the stall the control is a small α, where late rounds do contract.

**What it cannot tell.** Whether gradient descent does what least squares does: that is
`hierarchy/correction`; nor how a network finds which parts q₁ and q₂ are.

**Example.** `featlearn run {NAME} --set n=20000`
""",
)
