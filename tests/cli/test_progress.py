"""Progress: what is left, on a terminal and in a log."""

import io
import re

import pytest
from rich.console import Console
from rich.progress import Progress

from featlearn.cli._progress import Bars, Clocked, time_left
from featlearn.engine import Tally


class Named:
    """As much of a plan as progress looks at."""

    def __init__(self, name):
        self.id = name
        self.study = self
        self.name = name


class Ended:
    def __init__(self, plan):
        self.plan = plan


@pytest.mark.parametrize(
    ("elapsed", "completed", "total", "said"),
    [
        (12.0, 0, 10, "12 s so far"),
        (10.0, 5, 20, "about 30 s left"),
        (60.0, 1, 3, "about 2 min 0 s left"),
        (3600.0, 1, 3, "about 2 h 0 min left"),
        (10.0, 20, 20, "about 0 s left"),
    ],
)
def test_time_left_is_time_per_cell_times_what_is_left(elapsed, completed, total, said):
    assert time_left(elapsed, completed, total) == said


def test_bars_count_the_cells_of_the_study_and_of_all():
    bars = Progress(console=Console(file=io.StringIO()))
    view = Bars(bars, studies=2, cells=10)
    one, other = Named("a/one"), Named("a/other")
    view.planned(one, Tally(missing=4))
    view.advanced(one, 4)
    view.finished(Ended(one))
    view.planned(other, Tally(done=1, missing=6))
    view.advanced(other, 2)
    study, everything = bars.tasks
    assert (study.description, study.completed, study.total) == ("a/other", 2, 6)
    assert (everything.completed, everything.total) == (6, 10)


def test_the_clock_measures_each_plan_and_passes_on_what_it_hears():
    heard = []

    class View:
        def planned(self, plan, before):
            heard.append("planned")

        def advanced(self, plan, cells):
            heard.append("advanced")

        def finished(self, result):
            heard.append("finished")

    clock = Clocked(View())
    plan = Named("a/one")
    clock.planned(plan, Tally())
    clock.advanced(plan, 1)
    clock.finished(Ended(plan))
    assert heard == ["planned", "advanced", "finished"]
    assert 0 <= clock.seconds["a/one"] < 5


def test_on_a_terminal_there_is_a_bar_and_it_is_gone_at_the_end(featlearn, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    ended = featlearn("run", "toy")
    assert re.search(r"all 2 studies", ended.err)
    assert re.search(r"\x1b\[2K", ended.err)
    assert "cells to compute" not in ended.err
