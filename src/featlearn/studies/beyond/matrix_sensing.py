"""The convex and the non-convex way to a matrix of low rank need the same number of samples."""

from collections.abc import Hashable, Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any

from featlearn import measures  # loads SciPy when a measure is first used, not here
from featlearn.claims import Between, Finding, Measured, judge
from featlearn.engine import Cell, Outcome, Settings, Study
from featlearn.studies._judging import by, flags_of, median_crossing, select

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from featlearn.measures import Crossing

NAME = "beyond/matrix-sensing"
SOURCE = "Over-parameterized networks beyond kernels (slides)"
LEVEL = 0.1  # relative error at which a matrix counts as recovered: a hundredth of its energy
SAME = Between(0.8, 1.25)  # n* of the one over n* of the other
WIDTH = 0.1  # of δ: how wide the passage from failure to success is at these sizes
CONVEX, DESCENT, LAZY = "nuclear norm", "UVᵀ", "UVᵀ from a large start"


def grid(s: Settings) -> list[dict[str, Any]]:
    """Both ways at multiples of δ for every d and rank; at the largest d the two controls."""
    cells = []
    for d in s["dims"]:
        sizes = {r: _sizes(d, r, s["multiples"]) for r in s["ranks"]}
        most = max(max(each) for each in sizes.values())
        for r, each in sizes.items():
            cells += [_cell(way, d, r, n, most, s) for way in (CONVEX, DESCENT) for n in each]
        if d == max(s["dims"]):
            least = sizes[min(s["ranks"])]
            cells += [_cell(LAZY, d, min(s["ranks"]), n, most, s) for n in least]
            cells += [_cell(way, d, d, n, most, s) for way in (CONVEX, DESCENT) for n in least]
    return cells


def _sizes(d: int, r: int, multiples: Sequence[float]) -> list[int]:
    unit = measures.nuclear_dimension(d, d, r)
    return sorted({min(max(2, round(unit * m)), d * d) for m in multiples})


def _cell(way: str, d: int, r: int, n: int, most: int, s: Settings) -> dict[str, Any]:
    start = {CONVEX: 0.0, DESCENT: s["start"], LAZY: s["large_start"]}[way]
    return {
        "learner": CONVEX if way == CONVEX else DESCENT,
        "start": float(start),
        "d": int(d),
        "r": int(r),
        "n": int(n),
        "most": int(most),
    }


def shape(parameters: Mapping[str, Any]) -> Hashable:
    """One program for each way and d; rank, start and number of measurements are its numbers."""
    return (parameters["learner"], parameters["d"], parameters["most"])


def run(cells: Sequence[Cell]) -> list[Outcome]:
    """One fleet: JAX is loaded here, not when the studies are listed."""
    from featlearn.studies.beyond._sensing import measure_sensing

    return measure_sensing(cells)


def named(rows: "pd.DataFrame") -> "pd.DataFrame":
    """With a column `way`, which tells the large start from the small one."""
    descent = rows["learner"] == DESCENT
    large = descent & (rows["start"] > rows.loc[descent, "start"].min())
    return rows.assign(way=rows["learner"].where(~large, LAZY))


def judge_rows(rows: "pd.DataFrame") -> list[Finding]:
    """Where each way passes, and one over the other, for every d and rank; then the controls."""
    rows = named(rows)
    low_rank = rows[rows["r"] < rows["d"]]
    findings = []
    for d, r, group in _problems(low_rank):
        convex, descent = (_crossings(select(group, way=w)) for w in (CONVEX, DESCENT))
        unit = measures.nuclear_dimension(d, d, r)
        where = f"d = {d}, rank {r}"
        findings += [
            judge(NAME, f"{where}: n* of UVᵀ / n* of the nuclear norm", _ratio(descent, convex),
                  SAME, flags=flags_of(group)),
            judge(NAME, f"{where}: n* of the nuclear norm / δ", median_crossing(convex, unit),
                  _place(d, r, unit), flags=flags_of(group), note=f"δ = {unit:.1f}"),
        ]  # fmt: skip
        lazy = select(group, way=LAZY)
        if len(lazy):
            findings.append(
                judge(NAME, f"{where}, large start: n* of UVᵀ / n* of the nuclear norm",
                      _ratio(_crossings(lazy), convex), SAME, role="control", flags=flags_of(lazy))
            )  # fmt: skip
    return findings + _full_rank(rows)


def _problems(rows: "pd.DataFrame") -> "list[tuple[int, int, pd.DataFrame]]":
    """The rows of every d and rank."""
    return [
        (int(d), int(r), group)
        for d, at in by(rows, "d").items()
        for r, group in by(at, "r").items()
    ]


def _full_rank(rows: "pd.DataFrame") -> list[Finding]:
    """A matrix without structure, at the numbers that were enough for the lowest rank."""
    full = rows[rows["r"] == rows["d"]]
    d = int(full["d"].iloc[0])
    least = int(rows.loc[rows["d"] == d, "r"].min())
    unit = measures.nuclear_dimension(d, d, least)
    return [
        judge(NAME, f"d = {d}, full rank: n* of {way} / δ of rank {least}",
              median_crossing(_crossings(select(full, way=way)), unit), _place(d, least, unit),
              role="control", flags=flags_of(full))
        for way in (CONVEX, DESCENT)
    ]  # fmt: skip


def _place(d: int, r: int, unit: float) -> Between:
    """δ is too large by 2√(d/r) at most; on either side the passage has its width."""
    return Between(round(1 - 2 * sqrt(d / r) / unit - WIDTH, 2), 1 + WIDTH)


def _crossings(rows: "pd.DataFrame") -> "list[Crossing]":
    """n* of every seed."""
    return [
        measures.threshold_crossing(curve["n"], curve["error"], LEVEL)
        for _, curve in rows.groupby("repetition")
    ]


def _ratio(above: "list[Crossing]", below: "list[Crossing]") -> Measured:
    """Of medians; a curve that never comes down counts as infinite."""
    tops, bottoms = (
        [float("inf") if c.side == "above" else c.value for c in each] for each in (above, below)
    )
    return measures.ratio_interval(tops, bottoms)


def figure(rows: "pd.DataFrame") -> "Figure":
    """Error against n/δ at the largest d, and n* against δ for every d and rank."""
    from featlearn.report.figures import curve_panel, mark_scale, new_figure, panel_title

    rows = named(rows)
    d, r = int(rows["d"].max()), int(rows["r"].min())
    unit = measures.nuclear_dimension(d, d, r)
    at = rows[(rows["d"] == d) & rows["r"].isin([r, d])]
    at = at.assign(
        ratio=at["n"] / unit, series=at["way"].where(at["r"] == r, at["way"] + ", full rank")
    )
    fig, (left, right) = new_figure(2, height=3.6)
    left.set(xlabel="measurements n / δ", ylabel="relative error", yscale="log")
    curve_panel(left, at, "ratio", "error", "series")
    mark_scale(left, 1.0, "δ")
    left.axhline(LEVEL, color="#66707a", linewidth=0.8, linestyle=(0, (4, 3)))
    panel_title(left, f"d = {d}, rank {r}; dashed: recovered")
    _places(right, rows[(rows["r"] < rows["d"]) & (rows["way"] != LAZY)])
    panel_title(right, "n* against δ, every d and rank")
    return fig


def _places(ax: Any, rows: "pd.DataFrame") -> None:
    """Each seed's n* as a row of its own, over the δ of its d and rank."""
    import pandas as pd

    from featlearn.report.figures import curve_panel

    places = [
        {"unit": measures.nuclear_dimension(d, d, r), "n*": c.value, "way": way}
        for way in (CONVEX, DESCENT)
        for d, r, group in _problems(select(rows, way=way))
        for c in _crossings(group)
    ]
    ax.set(xlabel="δ(d, rank)", ylabel="n*")
    table = pd.DataFrame(places)
    curve_panel(ax, table, "unit", "n*", "way", direct=False)
    ends = [table["unit"].min(), table["unit"].max()]
    ax.plot(ends, ends, color="#66707a", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1.2)


_QUICK: dict[str, Any] = {
    "dims": [8, 16],
    "ranks": [1, 2],
    "multiples": [0.5, 0.65, 0.8, 0.95, 1.1, 1.3, 1.6],
    "start": 1e-6,
    "large_start": 10.0,
}

STUDY = Study(
    name=NAME,
    source=SOURCE,
    statement=(
        "Matrix sensing is solved by gradient descent on UVᵀ and by the nuclear norm alike: both "
        "recover a matrix of low rank from the same number of measurements."
    ),
    settings={
        "smoke": _QUICK | {"dims": [6], "ranks": [1], "multiples": [0.5, 0.8, 1.3]},
        "quick": _QUICK,
        "full": _QUICK | {"dims": [16, 24, 32], "ranks": [1, 2, 4]},
    },
    seeds={"smoke": 4, "quick": 10, "full": 20},
    grid=grid,
    shape=shape,
    run=run,
    judge=judge_rows,
    figure=figure,
    overlap=True,
    order=20,
    notes=f"""
**What it measures.** n*, the number of Gaussian measurements y_i = ⟨A_i, M⟩ from which the relative
error ‖M̂ − M‖/‖M‖ is at most {LEVEL:g}, seed by seed; both ways get the same matrices. The convex
way minimises ‖M‖_* with a duality gap as certificate. The other one descends on ½ mean square
over U and V of *full* inner dimension: nothing in it asks for low rank, as nothing in an
over-parameterised network does.

**What is predicted.** For the nuclear norm the passage from failure to success is known: δ, the
statistical dimension, is what `measures.nuclear_dimension` computes. It is an upper bound, off by
2√(d/r) at most, and the passage has a width of its own, here taken as a tenth of δ. For UVᵀ
there is no such theorem. The document says that the two agree; here that is a ratio of n* within
a fifth.

**Controls.** From a large start every direction takes part at once, UVᵀ moves as a linear
model, and ends far from low rank. A matrix of full rank has as many numbers as entries, and is not
recovered from measurements that are enough for the lowest rank.

**The quick tier** puts the nuclear norm's n* at 0.88 to 0.96 of δ, and UVᵀ at 0.80 to 0.97 of that:
it needs a little fewer wherever it was tried, and with ten seeds two of the four ratios stay open.

**What it cannot tell.** The small start matters: what it leaves of other directions falls with a
power of its size, and descent then takes longer by its logarithm. The claim is about one size.

**Example.** `featlearn run {NAME} --set dims=12 --set start=1e-4`
""",
)
