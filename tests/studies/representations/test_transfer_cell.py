"""One cell of the transfer study: shuffled labels, and heads on several samples."""

import numpy as np
import pytest

from featlearn.engine import Cell
from featlearn.studies.representations._cells import cell, run_transfer
from featlearn.studies.representations._transfer import shuffle

SIZES = [32, 64]
ROWS, N = 12, 7


def make_cell(n, shuffled=False):
    base = cell("one step", 4, n, rows=120, width=16, draws=256)
    return Cell(study="representations/test", version=1, repetition=0,
                parameters={**base, "shuffled": shuffled, "sizes": SIZES})  # fmt: skip


def test_shuffling_permutes_the_real_labels_and_leaves_the_padding_last():
    rng = np.random.default_rng(0)
    y = rng.normal(size=ROWS)
    moved = 0
    for _ in range(20):
        found = np.asarray(shuffle(y, rng.permutation(ROWS), np.int32(N)))
        assert sorted(found[:N]) == sorted(y[:N])
        assert sorted(found[N:]) == sorted(y[N:])
        moved += not np.array_equal(found[:N], y[:N])
    assert moved >= 19


def test_the_real_labels_keep_the_order_that_was_drawn():
    """A uniform order of all rows is one of the real rows, so that each is as likely."""
    rng = np.random.default_rng(1)
    for n in (1, N, ROWS):
        order = rng.permutation(ROWS)
        found = np.asarray(shuffle(np.arange(ROWS), order, np.int32(n)))
        assert list(found[:n]) == [k for k in order if k < n]


@pytest.fixture(scope="module")
def measured():
    fleet = [make_cell(120), make_cell(120, shuffled=True), make_cell(40)]
    return [outcome.values for outcome in run_transfer(fleet)]


def test_a_cell_reports_a_head_for_every_size(measured):
    for values in measured:
        assert set(values) == {"outside", "risk_32", "risk_64"}
        assert all(np.isfinite(v) and v >= 0 for v in values.values())


def test_a_fleet_is_the_cells_one_by_one(measured):
    alone = run_transfer([make_cell(120, shuffled=True)])[0].values
    assert measured[1] == pytest.approx(alone, rel=1e-6, abs=1e-9)


def test_neurons_that_saw_shuffled_labels_are_farther_from_the_direction(measured):
    assert measured[0]["outside"] < measured[1]["outside"]
