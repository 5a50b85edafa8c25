"""Running plans: what is complete is kept, what is missing is computed, fleet by fleet.

A fleet's cells are marked as running, computed, and stored in one transaction. A run that is
stopped in any way and started again loses at most the fleets that were being computed.
"""

from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from featlearn.claims import Finding
from featlearn.engine._backends import Backend, open_backend
from featlearn.engine._compute import Computed, now
from featlearn.engine._judge import judge_plan
from featlearn.engine._machine import device, versions
from featlearn.engine._observer import Observer, Silent
from featlearn.engine._plan import Plan
from featlearn.engine._tally import Tally, is_complete, tally
from featlearn.errors import FeatlearnError
from featlearn.store import CellRow, Store

Fleet = list[str]  # ids of cells of one shape


@dataclass(frozen=True, kw_only=True)
class Result:
    """How a plan ended: its cells, its findings, and what went wrong."""

    plan: Plan
    tally: Tally
    computed: int  # cells, in this run
    findings: tuple[Finding, ...]
    problem: str = ""  # why there are no findings
    failures: tuple[str, ...] = ()  # reasons of failed cells, each once

    @property
    def sound(self) -> bool:
        """No cell failed, and the claim could be judged."""
        return not self.problem and not self.tally.failed


def run_plans(
    plans: Sequence[Plan],
    store: Store,
    *,
    backend: str = "local",
    observer: Observer | None = None,
) -> list[Result]:
    """Compute what is missing of each plan, judge it, and keep its findings."""
    with open_backend(backend) as workers:
        return [_run_plan(plan, store, workers, observer or Silent()) for plan in plans]


def _run_plan(plan: Plan, store: Store, workers: Backend, observer: Observer) -> Result:
    fingerprint = plan.fingerprint
    before = tally(plan.ids, store.statuses(plan.ids), fingerprint)
    store.save_plan(plan.row(now(), before.seconds))
    if before.open:
        store.save_findings(plan.id, [])  # they were judged on other cells
    observer.planned(plan, before)
    computed = _Run(plan, store, workers, observer, fingerprint).until_done() if before.open else 0
    findings, problem = judge_plan(plan, store)
    statuses = store.statuses(plan.ids)
    after = tally(plan.ids, statuses, fingerprint)
    store.save_plan(plan.row(now(), after.seconds))
    store.save_findings(plan.id, findings)
    reasons = (s.message for s in statuses.values() if s.state == "failed")
    result = Result(
        plan=plan,
        tally=after,
        computed=computed,
        findings=tuple(findings),
        problem=problem,
        failures=tuple(dict.fromkeys(reasons)),
    )
    observer.finished(result)
    return result


class _Run:
    """The fleets of one plan that wait, and those that are being computed."""

    def __init__(
        self, plan: Plan, store: Store, workers: Backend, observer: Observer, fingerprint: str
    ) -> None:
        self.plan, self.store, self.workers, self.observer = plan, store, workers, observer
        self.fingerprint = fingerprint
        self.waiting = fleets(plan, self._incomplete(plan.ids))
        self.flying: dict[int, Fleet] = {}
        self.computed = 0

    def until_done(self) -> int:
        """Compute every fleet; returns the number of cells computed."""
        ticket = 0
        slots = self.workers.slots if self.plan.study.overlap else self.workers.alone
        try:
            while self.waiting or self.flying:
                while self.waiting and len(self.flying) < slots:
                    ticket += self._launch(ticket)
                if self.flying:
                    self._land(*self.workers.collect())
        except BaseException:
            with suppress(FeatlearnError):
                self.store.release([cell for fleet in self.flying.values() for cell in fleet])
            raise
        return self.computed

    def _launch(self, ticket: int) -> int:
        """Start the next fleet; 0 if another process has completed it meanwhile."""
        fleet = self._next()
        if not fleet:
            return 0
        self.flying[ticket] = fleet
        cells = [self.plan.cells[cell] for cell in fleet]
        self.store.begin([self._row(cell) for cell in fleet])
        self.workers.submit(ticket, self.plan.study.run, cells)
        return 1

    def _next(self) -> Fleet:
        """A waiting fleet, preferably one that no other process is at."""
        running = self._running()
        free = (at for at, fleet in enumerate(self.waiting) if not running & set(fleet))
        fleet = self.waiting.pop(next(free, 0))
        left = self._incomplete(fleet)
        if len(left) < len(fleet):
            self.observer.advanced(self.plan, len(fleet) - len(left))
        return left

    def _land(self, ticket: int, computed: Computed) -> None:
        fleet = self.flying[ticket]
        share = computed.seconds / len(fleet)
        rows = [
            replace(
                self._row(cell),
                state=outcome.state,
                values=outcome.values,
                message=outcome.message,
                seconds=share,
                started=computed.started,
                finished=computed.finished,
                device=computed.device,
            )
            for cell, outcome in zip(fleet, computed.outcomes, strict=True)
        ]
        self.store.finish(rows)
        del self.flying[ticket]
        self.computed += len(fleet)
        self.observer.advanced(self.plan, len(fleet))

    def _incomplete(self, ids: Sequence[str]) -> Fleet:
        statuses = self.store.statuses(ids)
        return [cell for cell in ids if not is_complete(statuses.get(cell), self.fingerprint)]

    def _running(self) -> set[str]:
        ids = [cell for fleet in self.waiting for cell in fleet]
        return {c for c, status in self.store.statuses(ids).items() if status.state == "running"}

    def _row(self, cell_id: str) -> CellRow:
        cell = self.plan.cells[cell_id]
        return CellRow(
            id=cell_id,
            study=cell.study,
            version=cell.version,
            parameters=cell.parameters,
            repetition=cell.repetition,
            fingerprint=self.fingerprint,
            versions=versions(),
            device=device(),
            started=now(),
        )


def fleets(plan: Plan, ids: Iterable[str]) -> list[Fleet]:
    """Cells of equal shape together, at most `fleet_size` of them, in the order of the plan."""
    groups: dict[Hashable, Fleet] = {}
    for cell in ids:
        groups.setdefault(plan.study.shape(plan.cells[cell].parameters), []).append(cell)
    size = plan.study.fleet_size
    return [
        group[at : at + (size or len(group))]
        for group in groups.values()
        for at in range(0, len(group), size or len(group))
    ]
