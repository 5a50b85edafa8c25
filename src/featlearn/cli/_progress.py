"""A run's progress on stderr: bars on a terminal, otherwise a line for each study."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from featlearn.claims import overall
from featlearn.cli._consoles import messages
from featlearn.engine import Observer, Plan, Result, Silent, Tally


class Clocked:
    """Measures the wall time of each plan, and passes on what it is told."""

    def __init__(self, view: Observer) -> None:
        self.view = view
        self.seconds: dict[str, float] = {}  # by the plan's id
        self._started = 0.0

    def planned(self, plan: Plan, before: Tally) -> None:
        self._started = time.perf_counter()
        self.view.planned(plan, before)

    def advanced(self, plan: Plan, cells: int) -> None:
        self.view.advanced(plan, cells)

    def finished(self, result: Result) -> None:
        self.seconds[result.plan.id] = time.perf_counter() - self._started
        self.view.finished(result)


class Lines:
    """One line when a study starts to compute, and one when it ends."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def planned(self, plan: Plan, before: Tally) -> None:
        if before.open:
            self._say(f"{plan.study.name}: {before.open} of {before.cells} cells to compute")

    def advanced(self, plan: Plan, cells: int) -> None: ...

    def finished(self, result: Result) -> None:
        ending = result.problem or overall(result.findings)
        self._say(f"{result.plan.study.name}: {ending}")

    def _say(self, line: str) -> None:
        self._console.print(line, soft_wrap=True)


class Bars:
    """The cells of the present study, and of all of them, with the time that is left."""

    def __init__(self, progress: Progress, studies: int, cells: int) -> None:
        self._progress = progress
        self._study = progress.add_task("", total=None, visible=False)
        self._all = progress.add_task(f"all {studies} studies", total=cells, visible=studies > 1)

    def planned(self, plan: Plan, before: Tally) -> None:
        self._progress.reset(
            self._study,
            total=before.open,
            description=plan.study.name,
            visible=bool(before.open),
        )

    def advanced(self, plan: Plan, cells: int) -> None:
        self._progress.advance(self._study, cells)
        self._progress.advance(self._all, cells)

    def finished(self, result: Result) -> None:
        self._progress.update(self._study, visible=False)


class TimeLeft(ProgressColumn):
    """Time per cell so far, times the cells that are left; cells come in large fleets."""

    def render(self, task: Task) -> Text:
        return Text(time_left(task.elapsed or 0.0, task.completed, task.total), style="dim")


def time_left(elapsed: float, completed: float, total: float | None) -> str:
    """`about 40 s left`; nothing before the first fleet is complete."""
    if not completed or total is None:
        return f"{_clock(elapsed)} so far"
    return f"about {_clock(elapsed * (total - completed) / completed)} left"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


@contextmanager
def progress(studies: int, cells: int, *, quiet: bool) -> Iterator[Clocked]:
    """An observer that shows how a run of that many cells goes on."""
    console = messages()
    if quiet or not cells:
        yield Clocked(Silent())
    elif not console.is_terminal:
        yield Clocked(Lines(console))
    else:
        columns = (TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn())
        with Progress(*columns, TimeLeft(), console=console, transient=True) as bars:
            yield Clocked(Bars(bars, studies, cells))
