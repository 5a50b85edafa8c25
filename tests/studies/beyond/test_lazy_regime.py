"""The claim from invented rows, and the laboratory against a loop in NumPy."""

import numpy as np
import pytest

from featlearn.engine import Cell
from featlearn.studies.beyond import _lazy
from featlearn.studies.beyond.lazy_regime import BROKEN, LAZY, STUDY, run


def law(signs=-0.5, gap=-0.75, broken=0.0, dial=-1.0):
    """Powers of the width under the conditions, and of the width where one is broken."""

    def values(p, luck):
        lazy = p.condition not in BROKEN
        share = p.width ** (signs if lazy else broken) * p.scale**dial * luck
        apart = p.width ** (gap if lazy else broken) * luck
        return {
            "signs": share, "gap": apart, "parameter_gap": luck, "kernel_change": apart,
            "movement": share, "loss": 0.1,
            **{f"gap_at_{step}": apart for step in p.moments[:-1]},
        }  # fmt: skip

    return values


def test_the_laws_of_the_document_are_what_the_claim_says(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    assert len(found.verdicts("claim")) == 5
    assert len(found.verdicts("control")) == 2 * len(BROKEN)


def test_a_network_that_stays_as_rich_at_every_width_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(signs=0.0, gap=-0.1, dial=0.0)))
    assert set(found.verdicts("claim").values()) == {"fails"}


def test_a_control_that_is_lazy_is_reported(invent, judged):
    found = judged(STUDY, invent(STUDY, law(broken=-0.5)))
    assert len(found.unexpected) == 2 * len(BROKEN)


def lazy_cell(repetition=0, **changes):
    parameters = {
        "condition": LAZY, "d": 4, "width": 8, "depth": 2, "n": 3, "rows": 5, "rate": 0.3,
        "scale": 2.0, "start_scale": 0.5, "moments": [5, 20], **changes,
    }  # fmt: skip
    return Cell(study="beyond/test", version=1, repetition=repetition, parameters=parameters)


def by_hand(cell):
    """The weights after each number of steps, in float64, of the network and its linear model."""
    p = cell.parameters
    keys = {role: _lazy.keys_of([cell], role)[0] for role in ("data", "start", "test")}
    sample = _lazy.random_signs(keys["data"], p["rows"], p["d"], None)
    x, y = (np.asarray(a, np.float64)[: p["n"]] for a in (sample.x, sample.y))
    drawn = _lazy.ntk_network(p["d"], p["width"], 2).draw(keys["start"]).trained
    w0, a = (np.asarray(w["weight"], np.float64) for w in drawn)
    w0 = p["start_scale"] * w0

    def train(linear):
        w = w0.copy()
        for _ in range(p["moments"][-1]):
            open_ = (x @ (w0 if linear else w).T >= 0).astype(float)
            moved = (open_ * (x @ w.T) - np.maximum(x @ w0.T, 0)) @ a[0]
            sign = 2 * y - 1
            slope = -sign / (1 + np.exp(sign * p["scale"] * moved)) * p["scale"] / len(y)
            w = w - p["rate"] / p["scale"] ** 2 * (slope[:, None] * open_ * a).T @ x
        return w

    return w0, a, train(False), train(True), np.asarray(
        _lazy.on_sphere(keys["test"], _lazy.POINTS, p["d"]), np.float64
    )  # fmt: skip


@pytest.fixture(scope="module")
def measured():
    outcomes = run([lazy_cell(), lazy_cell(1, n=4, rate=0.1)])
    assert {o.state for o in outcomes} == {"done"}
    return [o.values for o in outcomes]


def test_the_laboratory_trains_and_measures_as_a_loop_does(measured):
    w0, a, w, v, x = by_hand(lazy_cell())
    before, after = (np.maximum(x @ each.T, 0) @ a[0] for each in (w0, w))
    line = before + ((x @ w0.T >= 0) * (x @ (w - w0).T)) @ a[0]
    wanted = {
        "gap": np.linalg.norm(after - line) / np.linalg.norm(after - before),
        "signs": np.mean((x @ w.T >= 0) != (x @ w0.T >= 0)),
        "parameter_gap": np.linalg.norm(w - v) / np.linalg.norm(v - w0),
        "movement": np.linalg.norm(w - w0) / np.linalg.norm(w0),
    }
    for name, value in wanted.items():
        assert measured[0][name] == pytest.approx(value, rel=2e-3), name
        assert measured[0][f"{name}_at_5"] != pytest.approx(value, rel=1e-2), name


def test_members_of_a_fleet_have_their_own_samples_and_rates(measured):
    assert measured[0]["gap"] != pytest.approx(measured[1]["gap"], rel=1e-3)
    assert all(np.isfinite(list(values.values())).all() for values in measured)
