"""The store: fleets are written whole or not at all, and read back as they were."""

import math
import sqlite3
import subprocess
import sys
import textwrap
from dataclasses import replace

import pandas as pd
import pytest

from featlearn.claims import AtMost, Measured, judge
from featlearn.store import Store


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "x.sqlite") as opened:
        yield opened


def done(row, **values):
    return replace(row, state="done", values=values, seconds=0.5, finished="2026")


def test_a_cell_comes_back_as_it_was(store, make_row):
    row = done(make_row(), risk=0.1 + 0.2, threshold=math.inf, low=-math.inf)
    store.begin([row])
    assert store.statuses([row.id])[row.id].state == "running"
    store.finish([row])
    assert store.cells([row.id]) == [row]


def test_cells_come_in_the_order_that_was_asked_for(store, make_row):
    rows = [done(make_row(r), risk=float(r)) for r in range(5)]
    store.finish(rows)
    ids = [row.id for row in reversed(rows)]
    assert [cell.id for cell in store.cells([*ids, "unknown"])] == ids


def test_finishing_again_replaces_values(store, make_row):
    row = make_row()
    store.finish([done(row, old=1.0, risk=1.0)])
    store.finish([done(row, risk=2.0)])
    assert store.cells([row.id])[0].values == {"risk": 2.0}


def test_beginning_keeps_the_values_of_a_complete_cell(store, make_row):
    row = done(make_row(), risk=1.0)
    store.finish([row])
    store.begin([make_row(fingerprint="new")])
    assert store.cells([row.id]) == [row]


def test_beginning_takes_a_failed_cell_up_again(store, make_row):
    store.finish([replace(make_row(), state="failed", message="no")])
    store.begin([make_row(fingerprint="new")])
    status = store.statuses([make_row().id])[make_row().id]
    assert (status.state, status.fingerprint, status.message) == ("running", "new", "")


def test_released_cells_are_forgotten_and_complete_ones_are_not(store, make_row):
    rows = [make_row(0), done(make_row(1), risk=1.0)]
    store.begin(rows[:1])
    store.finish(rows[1:])
    store.release([row.id for row in rows])
    assert list(store.statuses([row.id for row in rows])) == [rows[1].id]


def test_a_fleet_of_which_one_row_cannot_be_written_is_not_written_at_all(store, make_row):
    rows = [make_row(0), make_row(1)]
    store.begin(rows)
    with pytest.raises(Exception, match="NOT NULL"):
        store.finish([done(rows[0], risk=1.0), done(rows[1], risk=math.nan)])
    states = {status.state for status in store.statuses([row.id for row in rows]).values()}
    assert states == {"running"}
    assert all(not cell.values for cell in store.cells([row.id for row in rows]))


def test_a_process_killed_within_a_write_leaves_nothing_of_it(tmp_path, make_row):
    path = tmp_path / "x.sqlite"
    code = f"""
        import os, signal
        from featlearn.store import CellRow, Store

        store = Store({str(path)!r})
        rows = [
            CellRow(id=i, study="s/c", version=1, parameters={{}}, repetition=0, fingerprint="",
                    versions={{}}, device="", started="", state="done", values=values)
            for i, values in (("a", {{"risk": 1.0}}), ("b", {{"risk": 2.0}}))
        ]
        store.begin(rows)
        connection = store._connection
        connection.set_trace_callback(
            lambda sql: "UPDATE" in sql and os.kill(os.getpid(), signal.SIGKILL)
        )
        store.finish(rows)
    """
    killed = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False)
    assert killed.returncode == -9
    with Store(path) as store:
        assert [cell.state for cell in store.cells(["a", "b"])] == ["running", "running"]
        assert all(not cell.values for cell in store.cells(["a", "b"]))


def test_a_frame_has_parameters_states_and_values(store, make_row):
    rows = [done(make_row(0), risk=1.0), replace(make_row(1), state="failed")]
    store.finish(rows)
    frame = store.frame([row.id for row in rows])
    expected = pd.DataFrame(
        {
            "n": [8, 8],
            "widths": [(4, 2), (4, 2)],
            "repetition": [0, 1],
            "state": ["done", "failed"],
            "risk": [1.0, math.nan],
        }
    )
    pd.testing.assert_frame_equal(frame, expected)


def test_plans_come_back_and_the_one_used_last_is_last(store, make_plan):
    first, second = make_plan("a", ["x", "y"], created="1"), make_plan("b", created="2")
    store.save_plan(first)
    store.save_plan(second)
    assert store.plans() == [first, second]
    again = replace(first, created="3", seconds=4.0)
    store.save_plan(again)
    assert store.plans() == [second, again]
    assert store.plan("a") == again
    assert store.plan("unknown") is None


def test_findings_survive_infinity_and_saving_the_plan_again(store, make_plan):
    measured = Measured(math.inf, 2.0, math.inf, 5)
    findings = [
        judge("s/c", "label", measured, AtMost(1.0), flags=("grid edge",), note="n"),
        judge("s/c", "control", Measured(1.5, 0.5, 2.5, 5), AtMost(1.0), role="control"),
        judge("s/c", "excess", Measured(1.0, -math.inf, 2.0, 5), None),
    ]
    store.save_plan(make_plan())
    store.save_findings("p", findings)
    store.save_plan(make_plan())
    assert store.findings("p") == findings
    store.save_findings("p", [])
    assert store.findings("p") == []


def test_the_file_is_plain_sqlite_that_others_can_read(tmp_path, make_row):
    with Store(tmp_path / "x.sqlite") as store:
        store.finish([done(make_row(), risk=1.0)])
    query = "SELECT study, state, name, value FROM cells JOIN measurements ON cell = cells.id"
    connection = sqlite3.connect(tmp_path / "x.sqlite")
    assert connection.execute(query).fetchall() == [("s/c", "done", "risk", 1.0)]
    connection.close()
