"""Tallies: each cell is counted once."""

from featlearn.engine import tally
from featlearn.store import CellStatus


def test_each_cell_is_counted_by_what_is_known_of_it():
    statuses = {
        "a": CellStatus("done", "now", "", 1.0),
        "b": CellStatus("done", "before", "", 2.0),
        "c": CellStatus("diverged", "now", "", 4.0),
        "d": CellStatus("diverged", "before"),
        "e": CellStatus("failed", "now"),
        "f": CellStatus("running", "before"),
        "not of this plan": CellStatus("done", "now", "", 100.0),
    }
    count = tally(["a", "b", "c", "d", "e", "f", "g", "h"], statuses, "now")
    assert (count.done, count.diverged, count.stale) == (1, 1, 2)
    assert (count.failed, count.running, count.missing) == (1, 1, 2)
    assert (count.complete, count.open, count.cells) == (2, 6, 8)
    assert count.seconds == 7.0
