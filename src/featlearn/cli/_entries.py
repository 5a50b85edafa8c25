"""The page's sections: what the store holds, next to what each study says of itself."""

from collections.abc import Sequence

from featlearn.engine import Registry, Study, fingerprint, tally
from featlearn.report import Entry
from featlearn.store import CellRow, PlanRow, Store


def entries_and_system(
    store: Store, registry: Registry
) -> tuple[list[Entry], dict[str, str], list[str]]:
    """Entries in the registry's order, what they were computed with, and warnings."""
    plans = _last_plans(store)
    problems = [
        f"{name} is in the store, and not among the studies here: install the package that "
        "brings it to have it on the page."
        for name in plans
        if registry.find(name) is None
    ]
    entries, cells = [], []
    for position, study in enumerate(registry.studies):
        plan = plans.get(study.name)
        rows = store.cells(plan.cells) if plan else []
        if plan and any(row.state == "done" for row in rows):
            entries.append(_entry(study, plan, rows, store, position))
            problems += _incomplete(plan, store)
            cells += rows
    return entries, _system(cells), problems


def _last_plans(store: Store) -> dict[str, PlanRow]:
    """By study the plan that was used last, among those that were judged if there are any."""
    plans = sorted(store.plans(), key=lambda plan: bool(store.findings(plan.id)))
    return {plan.study: plan for plan in plans}


def _entry(
    study: Study, plan: PlanRow, rows: Sequence[CellRow], store: Store, position: int
) -> Entry:
    return Entry(
        name=study.name,
        statement=study.statement,
        source=study.source,
        notes=study.notes,
        headline=study.headline,
        order=position,
        findings=store.findings(plan.id),
        rows=store.frame(plan.cells),
        figure=study.figure,
        command=plan.command,
        seconds=plan.seconds,
        tier=plan.tier,
        seeds=plan.seeds,
        settings=plan.settings,
        versions=_joined(rows),
    )


def _incomplete(plan: PlanRow, store: Store) -> list[str]:
    count = tally(plan.cells, store.statuses(plan.cells), fingerprint(plan.code))
    if count.stale:
        return [f"{plan.study} was computed by other code than the present: {plan.command}"]
    if count.open:
        return [f"{plan.study} lacks {count.open} of {count.cells} cells: {plan.command}"]
    return []


def _system(cells: Sequence[CellRow]) -> dict[str, str]:
    devices = dict.fromkeys(cell.device for cell in cells if cell.device)
    return {"device": " · ".join(devices), **_joined(cells)}


def _joined(cells: Sequence[CellRow]) -> dict[str, str]:
    """Versions; where cells differ, all of them."""
    found: dict[str, dict[str, None]] = {}
    for cell in cells:
        for package, version in cell.versions.items():
            found.setdefault(package, {})[version] = None
    return {package: " · ".join(versions) for package, versions in found.items()}
