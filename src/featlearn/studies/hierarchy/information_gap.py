"""What becomes of training where the information gap closes: a map, and one stall."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from featlearn.claims import AtLeast, Finding, Role, judge
from featlearn.engine import Cell, Outcome, Settings, Study
from featlearn.studies._judging import by, median, select
from featlearn.studies.hierarchy import _cells
from featlearn.studies.hierarchy._sources import PAPER

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NAME = "hierarchy/information-gap"
STALLS = AtLeast(0.9)  # a round that takes less than a tenth off the error gets nowhere
STALL_AT = 0.3
LEARNED = 0.25  # a layer has learned when its error is below this part of its null level
MODES = ("joint", "staged")


def grid(s: Settings) -> list[dict[str, Any]]:
    """Both modes at every ratio, for every depth; then rounds of least squares on toy (d)."""
    common = {name: s[name] for name in ("neurons", "steps", "batch", "rate", "draws", "looks")}
    trained = [
        _cells.cell(mode, s["d"], [ratio**at for at in range(len(k))], k=k, **common)
        | {"ratio": float(ratio)}
        for k, ratios in zip(s["widths"], s["ratios"], strict=True)
        for ratio in ratios
        for mode in MODES
    ]
    return trained + [_rounds(a, s) for a in s["ratios"][0]]


def _rounds(alpha: float, s: Settings) -> dict[str, Any]:
    return {
        "mode": "rounds",
        "alpha": float(alpha),
        "ratio": float(alpha),
        "n": int(s["n"]),
        "law": "uniform",
        "joint": True,
        "rounds": int(s["rounds"]),
    }


def shape(parameters: Mapping[str, Any]) -> Hashable:
    """Cells that one program can compute; the rounds need none."""
    if parameters["mode"] == "rounds":
        return "rounds"
    return _cells.shape({k: v for k, v in parameters.items() if k != "ratio"})


def run(cells: Sequence[Cell]) -> list[Outcome]:
    """One fleet: JAX is loaded here, not when the studies are listed."""
    if cells[0].parameters["mode"] != "rounds":
        return [_summary(cell, found) for cell, found in zip(cells, _cells.run(cells), strict=True)]
    from featlearn.studies.hierarchy._rounds import measure

    return measure(cells)


def _summary(cell: Cell, outcome: Outcome) -> Outcome:
    """The end, when each layer had learned, and the foreign energy of layer 1 around the unlock."""
    v, p = outcome.values, cell.parameters
    at, layers, end = _cells.times(p), len(p["gaps"]), p["steps"]
    join = round(_cells.unlock(p)[0] * end)
    kept = {
        "risk": v[f"risk_{end}"],
        "foreign_join": v[f"foreign_{join}"],
        "foreign_end": v[f"foreign_{end}"],
    }
    for level in range(1, layers + 1):
        part = [v[f"error_{level}_{t}"] / v[f"null_{level}_{t}"] for t in at]
        kept[f"error_{level}"] = part[-1]
        kept[f"learned_{level}"] = next(
            (float(t) for t, e in zip(at, part, strict=True) if e <= LEARNED), float("inf")
        )
    kept["last"] = kept[f"error_{layers}"]
    learned = [kept[f"learned_{level}"] for level in range(1, layers + 1)]
    kept["in_order"] = float(learned == sorted(learned) and np.isfinite(learned[-1]))
    return Outcome(values=kept, state=outcome.state, message=outcome.message)


def judge_rows(rows: "pd.DataFrame") -> list[Finding]:
    """The stall of the rounds, and the map of what training does."""
    rounds = select(rows, mode="rounds")
    least = float(rounds["ratio"].min())
    ends: tuple[tuple[float, Role], ...] = ((STALL_AT, "claim"), (least, "control"))
    findings = [
        judge(NAME, f"toy (d), joint rounds, ratio {ratio:g}: factor of a late round",
              median(select(rounds, ratio=ratio), "late_factor"), STALLS, role=role,
              predicted=f"24/7 · {ratio:g} = {24 / 7 * ratio:.2g}, or a stall near 1")
        for ratio, role in ends
    ]  # fmt: skip
    for (depth, mode), group in _trained(rows).groupby(["depth", "mode"], sort=True):
        findings += _mapped(group, f"L = {depth}, {mode}")
    return findings


def _mapped(rows: "pd.DataFrame", name: str) -> list[Finding]:
    found = []
    for ratio, group in by(rows, "ratio").items():
        at = f"{name}, ratio {ratio:g}"
        flags = ("diverged",) if (group["state"] != "done").any() else ()
        found += [
            judge(NAME, f"{at}: error of the last layer / its null level",
                  median(group, "last"), None, predicted="open question", flags=flags),
            judge(NAME, f"{at}: part of the runs that learn their layers in order",
                  _mean(group, "in_order"), None, predicted="open question"),
        ]  # fmt: skip
        if "staged" in name:
            found.append(
                judge(NAME, f"{at}: foreign energy of layer 1, end / unlock",
                      median(group, "correction"), None, predicted="open question")
            )  # fmt: skip
    return found


def _mean(rows: "pd.DataFrame", column: str) -> Any:
    """A share with its range of one binomial standard error each way."""
    from featlearn.claims import Measured

    values = rows.loc[rows["state"] == "done", column].to_numpy(float)
    share, count = float(values.mean()), len(values)
    error = float(np.sqrt(share * (1 - share) / count))
    return Measured(share, max(share - error, 0.0), min(share + error, 1.0), count)


def _trained(rows: "pd.DataFrame") -> "pd.DataFrame":
    trained = rows[rows["mode"].isin(MODES)]
    return trained.assign(
        depth=trained["gaps"].map(len),
        correction=trained["foreign_end"] / trained["foreign_join"],
    )


def figure(rows: "pd.DataFrame") -> "Figure":
    """The last layer's error, the correction of the first, and the rounds, against the ratio."""
    from featlearn.report.figures import curve_panel, new_figure, panel_title

    fig, (last, correction, rounds) = new_figure(3, height=3.2, width=9.6)
    trained = _trained(rows)
    named = trained.assign(
        series=[f"L = {n}, {m}" for n, m in zip(trained["depth"], trained["mode"], strict=True)]
    )
    curve_panel(last, named, "ratio", "last", "series", direct=False)
    last.set(xlabel="α₂/α₁", ylabel="error of the last layer / null")
    panel_title(last, "the last layer")
    curve_panel(correction, named, "ratio", "correction", "series")
    correction.set(xlabel="α₂/α₁", ylabel="foreign energy, end / 1/L of the way")
    panel_title(correction, "correction of layer 1")
    of_rounds = select(rows, mode="rounds").assign(series="toy (d)")
    curve_panel(rounds, of_rounds, "ratio", "late_factor", "series")
    rounds.axhline(1.0, color="0.6", linewidth=0.8, linestyle=(0, (4, 3)))
    rounds.set(xlabel="α", ylabel="factor of a late round")
    panel_title(rounds, "joint rounds")
    return fig


_QUICK: dict[str, Any] = {
    "d": 20,
    "widths": [[3, 2], [3, 2, 2]],
    "ratios": [[0.03, 0.3, 1.0, 3.0], [0.1, 1.0]],
    "neurons": 16,
    "steps": 1200,
    "batch": 200,
    "rate": 0.01,
    "draws": 2048,
    "looks": 5,
    "n": 2000,
    "rounds": 12,
}

STUDY = Study(
    name=NAME,
    source=PAPER,
    statement=(
        "The proof needs α_{ℓ+1} ≪ α_ℓ. Whether training does is an open question of the "
        "documents: success, order of learning and correction are mapped against the ratio; joint "
        "rounds of least squares on toy (d) stall at ratio 0.3."
    ),
    settings={
        "smoke": _QUICK
        | {
            "d": 8,
            "widths": [[2, 1]],
            "ratios": [[0.03, 0.3]],
            "neurons": 8,
            "steps": 200,
            "batch": 64,
            "draws": 512,
            "n": 500,
        },
        "quick": _QUICK,
        "full": _QUICK
        | {
            "ratios": [[0.03, 0.1, 0.3, 1.0, 3.0]] * 2,
            "neurons": 40,
            "steps": 20_000,
            "batch": 1000,
            "draws": 65_536,
            "looks": 24,
            "n": 100_000,
        },
    },
    seeds={"smoke": 3, "quick": 5, "full": 20},
    grid=grid,
    shape=shape,
    run=run,
    judge=judge_rows,
    figure=figure,
    overlap=True,
    order=24,
    notes=f"""
**What it measures.** Random dense targets with κ = 1, α_ℓ = ratio^(ℓ−1), and standard Gaussian
inputs; a dense quadratic network that knows the α_ℓ, as those of the documents do, trained by Adam
on fresh points, all layers at once (*joint*) or one joining after another while the lower ones go
on (*staged*). The error of a layer is that of Theorem 2, up to rotation, over its level for
unrelated features; a layer has learned when that is at most {LEARNED:g}, at the times when the
network is looked at. Correction is the foreign energy of layer 1 at the end over that when layer 2
joins in. *Alternating* training is that of `hierarchy/correction-rate`: joint rounds of least
squares on toy (d) with uniform inputs.

**What is judged.** Only the rounds: they stall at ratio 0.3, as 24/7 · 0.3 > 1, and the control is
the least ratio, where they contract. All else is measured and has no threshold. The ranges of the
shares of runs are one binomial standard error each way.

**What was found** (quick tier). With L = 2 training does not need the gap: both modes learn the
last layer at every ratio, at 1 and 3 no worse than at 0.3, and staged training corrects layer 1
more than tenfold throughout. Slow is a small ratio with joint training, where staged training is
ahead. At ratio 3 a run of joint training now and then learns layer 2 before layer 1; at smaller
ones none did. With L = 3 the budget of the quick tier is too short to tell.

**What it cannot tell.** A layer that is not learned at the end may be learned by a longer training;
small ratios ask for more steps, as the last layer is a small part of the loss.

**Example.** `featlearn run {NAME} --set steps=3000`
""",
)
