"""A quadratic network can be a parity of high degree, and training does not find it."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from featlearn.claims import AtLeast, AtMost, Finding, judge
from featlearn.engine import Cell, Outcome, Settings, Study
from featlearn.studies._judging import by, median, select
from featlearn.studies.hierarchy._sources import PAPER

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NAME = "hierarchy/parity"
EXACT = AtMost(1e-8)
NOT_FOUND = AtLeast(0.9)  # of E y² = 1, which the constant 0 has
PER_CELL = ("degree", "noise", "rate")  # what cells of one fleet may differ in


def grid(s: Settings) -> list[dict[str, Any]]:
    """Networks by construction for every degree, then trainings for degrees, noises and rates."""
    common = {name: s[name] for name in ("d", "widths", "steps", "batch", "draws")}
    built = [
        common | {"network": network, "degree": int(p), "noise": 0.0, "rate": 0.0}
        for network, degrees in (
            ("by construction", s["built_degrees"]),
            ("one layer fewer", [max(s["built_degrees"])]),
        )
        for p in degrees
    ]
    trained = [
        common | {"network": "trained", "degree": int(p), "noise": float(z), "rate": float(r)}
        for p in s["degrees"]
        for z in (0.0, s["noise"])
        for r in s["rates"]
        if z or p > min(s["degrees"])
    ]
    return built + trained


def shape(parameters: Mapping[str, Any]) -> Hashable:
    """Cells that one program can compute."""
    kept = {k: v for k, v in parameters.items() if k not in PER_CELL}
    return tuple((k, tuple(v) if isinstance(v, list) else v) for k, v in sorted(kept.items()))


def repeats(parameters: Mapping[str, Any], seeds: int) -> int:
    """What is exact needs few."""
    return seeds if parameters["network"] == "trained" else min(seeds, 3)


def run(cells: Sequence[Cell]) -> list[Outcome]:
    """One fleet: JAX is loaded here, not when the studies are listed."""
    from featlearn.studies.hierarchy._parities import measure

    return measure(cells)


def judge_rows(rows: "pd.DataFrame") -> list[Finding]:
    """Representation for every degree; training for the highest degree and the lowest."""
    found = best_rates(select(rows, network="trained"))
    noisy, clean = (found[(found["noise"] > 0) == flag] for flag in (True, False))
    highest, lowest = int(found["degree"].max()), int(found["degree"].min())
    return [
        *_represented(rows),
        judge(NAME, f"degree {highest}, noisy labels: risk after training",
              median(select(noisy, degree=highest), "risk"), NOT_FOUND, predicted="1: not found"),
        judge(NAME, f"degree {lowest}, noisy labels: risk after training",
              median(select(noisy, degree=lowest), "risk"), NOT_FOUND, role="control",
              predicted="0: one quadratic layer"),
        *_measured(noisy[noisy["degree"].between(lowest, highest, "neither")], "noisy"),
        *_measured(clean, "noiseless"),
    ]  # fmt: skip


def _represented(rows: "pd.DataFrame") -> list[Finding]:
    degrees = by(select(rows, network="by construction"), "degree")
    findings = [
        judge(NAME, f"degree {p:g}: risk of the network by construction",
              median(group, "risk"), EXACT, predicted="0, with log₂ of the degree layers")
        for p, group in degrees.items()
    ]  # fmt: skip
    p = max(degrees)
    less = select(rows, network="one layer fewer", degree=p)
    return [
        *findings,
        judge(NAME, f"degree {p:g}: risk of the network with a layer less",
              median(less, "risk"), EXACT, role="control",
              predicted="2: parities differ on half of the points"),
    ]  # fmt: skip


def _measured(rows: "pd.DataFrame", labels: str) -> list[Finding]:
    return [
        judge(NAME, f"degree {p:g}, {labels} labels: risk after training",
              median(group, "risk"), None, predicted="not stated")
        for p, group in by(rows, "degree").items()
    ]  # fmt: skip


def best_rates(rows: "pd.DataFrame") -> "pd.DataFrame":
    """For each seed the learning rate with the least risk on fresh points, in favour of SGD."""
    done = rows[rows["state"] == "done"]
    return done.loc[done.groupby(["degree", "noise", "repetition"])["risk"].idxmin()]


def figure(rows: "pd.DataFrame") -> "Figure":
    """Risk against the degree: by construction, and after training with and without noise."""
    from featlearn.report.figures import curve_panel, new_figure, panel_title

    trained = best_rates(select(rows, network="trained"))
    noise = trained["noise"].max()
    names = trained["noise"].map({noise: "trained, noisy labels", 0.0: "trained, noiseless"})
    built = select(rows, network="by construction")
    shown = _joined(trained.assign(series=names), built.assign(series="by construction"))
    shown["risk"] = shown["risk"].clip(lower=1e-9)
    fig, (ax,) = new_figure(1, height=3.2, width=6.0)
    curve_panel(ax, shown, "degree", "risk", "series")
    ax.set(xlabel="degree of the parity", ylabel="risk (1 for the constant)")
    panel_title(ax, "represented at every degree, found at low ones")
    return fig


def _joined(*tables: "pd.DataFrame") -> "pd.DataFrame":
    import pandas as pd

    return pd.concat(tables, ignore_index=True)


_QUICK: dict[str, Any] = {
    "d": 20,
    "widths": [24, 16, 8],
    "steps": 600,
    "batch": 256,
    "draws": 4096,
    "noise": 0.5,
    "degrees": [2, 4, 8],
    "built_degrees": [2, 4, 8, 16],
    "rates": [0.01, 0.03],
}

STUDY = Study(
    name=NAME,
    source=PAPER,
    statement=(
        "A quadratic network of L layers is a parity of degree 2^L exactly; trained from a random "
        "start on noisy labels it does not find one of high degree."
    ),
    settings={
        "smoke": _QUICK | {"steps": 60, "rates": [0.03], "draws": 512},
        "quick": _QUICK,
        "full": _QUICK
        | {
            "d": 30,
            "widths": [64, 32, 16],
            "steps": 50_000,
            "batch": 1000,
            "draws": 20_000,
            "rates": [0.001, 0.003, 0.01, 0.03],
        },
    },
    seeds={"smoke": 3, "quick": 10, "full": 10},
    grid=grid,
    shape=shape,
    run=run,
    judge=judge_rows,
    figure=figure,
    overlap=True,
    order=25,
    repeats=repeats,
    notes=f"""
**What it measures.** Inputs uniform on {{±1}}^d, labels the product of *p* drawn coordinates, with
noise ±½ or without. By construction: ab = σ((a + b)/2) − σ((a − b)/2) for σ(z) = z², so that
p, p/2, …, 2 neurons in log₂ p layers are the parity. Trained: a dense quadratic network with three
layers, heads of both signs and more neurons than that, all layers at once by Adam on fresh points.
The risk is E(f − y)² against noiseless labels; the constant 0 has 1.

**What the document says.** L layers of quadratic networks represent parities up to degree 2^L, and
no efficient algorithm is known for noisy parities of high degree. The paper's concept class leaves
them out by its information gap: a parity has all its information in the last layer. A degree is
called high here when it is that of the whole network, 8; a bound is only as good as the budget.

**In favour of training.** Of several learning rates each seed has its best, on the test points.

**The controls.** For training, degree 2 with the same network, noise and budget, which is found.
For representation, the network with one layer less, which is the parity of half of the coordinates.

**What it cannot tell.** That no longer training would find it: time grows like d^p in theory.

**Example.** `featlearn run {NAME} --set degrees=2,4 --set steps=2000`
""",
)
