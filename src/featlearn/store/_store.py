"""The store: what is written in one transaction, and what is read."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from featlearn.claims import Finding
from featlearn.store._codec import finding_from_json, finding_to_json
from featlearn.store._identity import canonical
from featlearn.store._rows import CellRow, CellStatus, PlanRow
from featlearn.store._schema import explained, open_store, transaction

if TYPE_CHECKING:  # pandas takes a quarter of a second to import, which `status` need not pay
    import pandas as pd

P = ParamSpec("P")
R = TypeVar("R")

_AMONG = "IN (SELECT value FROM json_each(?))"


def _explaining(
    method: Callable[Concatenate["Store", P], R],
) -> Callable[Concatenate["Store", P], R]:
    @wraps(method)
    def run(self: "Store", *args: P.args, **kwargs: P.kwargs) -> R:
        with explained(self.path):
            return method(self, *args, **kwargs)

    return run


class Store:
    """One SQLite file. Use it in a `with` statement, or `close` it.

    A fleet's values and states are written in one transaction, so that a process killed at any
    moment leaves whole fleets or nothing of them.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = Path(path).expanduser()
        self._connection = open_store(self.path, read_only=read_only)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Fold the write-ahead log into the file and let go of it."""
        self._connection.close()

    @_explaining
    def begin(self, rows: Sequence[CellRow]) -> None:
        """Note that cells are being computed. Cells that have values keep them until `finish`."""
        with transaction(self._connection):
            self._connection.executemany(_BEGIN, [_cell_to_sql(row) for row in rows])

    @_explaining
    def finish(self, rows: Sequence[CellRow]) -> None:
        """Write a fleet: its values, and its states last."""
        ids = [(row.id,) for row in rows]
        values = [(row.id, name, float(v)) for row in rows for name, v in row.values.items()]
        states = [(row.state, row.id) for row in rows]
        with transaction(self._connection):
            self._connection.executemany("DELETE FROM cells WHERE id = ?", ids)
            self._connection.executemany(_INSERT, [_cell_to_sql(row) for row in rows])
            self._connection.executemany("INSERT INTO measurements VALUES (?, ?, ?)", values)
            self._connection.executemany("UPDATE cells SET state = ? WHERE id = ?", states)

    @_explaining
    def release(self, ids: Sequence[str]) -> None:
        """Forget that cells were being computed."""
        with transaction(self._connection):
            self._connection.execute(
                f"DELETE FROM cells WHERE state = 'running' AND id {_AMONG}", (_ids(ids),)
            )

    @_explaining
    def statuses(self, ids: Sequence[str]) -> dict[str, CellStatus]:
        """State and fingerprint of those cells that are in the store."""
        query = f"SELECT id, state, fingerprint, message, seconds FROM cells WHERE id {_AMONG}"
        return {
            row[0]: CellStatus(row[1], row[2], row[3], row[4] or 0.0)
            for row in self._connection.execute(query, (_ids(ids),))
        }

    @_explaining
    def cells(self, ids: Sequence[str]) -> list[CellRow]:
        """Those cells that are in the store, in the order of `ids`."""
        query = f"SELECT {_COLUMNS} FROM cells WHERE id {_AMONG}"
        found = {row[0]: row for row in self._connection.execute(query, (_ids(ids),))}
        values = self._values(ids)
        return [_cell_from_sql(found[i], values.get(i, {})) for i in ids if i in found]

    def frame(self, ids: Sequence[str]) -> "pd.DataFrame":
        """One row a cell: its parameters, `repetition` and `state`, and its values.

        Cells that are not in the store have no row. A value that a cell does not have (it
        diverged or failed) is NaN. Parameters that are lists come back as tuples.
        """
        import pandas as pd

        return pd.DataFrame([_flat(row) for row in self.cells(ids)])

    @_explaining
    def save_plan(self, plan: PlanRow) -> None:
        """Keep a plan; its findings stay if it is there already."""
        with transaction(self._connection):
            self._connection.execute(_SAVE_PLAN, _plan_to_sql(plan))

    @_explaining
    def plan(self, plan_id: str) -> PlanRow | None:
        """The plan of that id, if there is one."""
        query = f"SELECT {_PLAN_COLUMNS} FROM plans WHERE id = ?"
        row = self._connection.execute(query, (plan_id,)).fetchone()
        return _plan_from_sql(row) if row else None

    @_explaining
    def plans(self) -> list[PlanRow]:
        """Every plan, the one used last at the end."""
        query = f"SELECT {_PLAN_COLUMNS} FROM plans ORDER BY created, rowid"
        return [_plan_from_sql(row) for row in self._connection.execute(query)]

    @_explaining
    def save_findings(self, plan_id: str, findings: Iterable[Finding]) -> None:
        """Replace a plan's findings."""
        rows = [(plan_id, at, finding_to_json(f)) for at, f in enumerate(findings)]
        with transaction(self._connection):
            self._connection.execute("DELETE FROM findings WHERE plan = ?", (plan_id,))
            self._connection.executemany("INSERT INTO findings VALUES (?, ?, ?)", rows)

    @_explaining
    def findings(self, plan_id: str) -> list[Finding]:
        """A plan's findings in the order in which they were given."""
        query = "SELECT finding FROM findings WHERE plan = ? ORDER BY position"
        return [finding_from_json(row[0]) for row in self._connection.execute(query, (plan_id,))]

    def _values(self, ids: Sequence[str]) -> dict[str, dict[str, float]]:
        query = f"SELECT cell, name, value FROM measurements WHERE cell {_AMONG} ORDER BY name"
        found: dict[str, dict[str, float]] = {}
        for cell, name, value in self._connection.execute(query, (_ids(ids),)):
            found.setdefault(cell, {})[name] = value
        return found


_COLUMNS = (
    "id, study, version, parameters, repetition, fingerprint, versions, device, "
    "state, seconds, started, finished, message"
)
_INSERT = f"""
    INSERT INTO cells ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?)
"""
_BEGIN = f"""
    {_INSERT}
    ON CONFLICT (id) DO UPDATE SET
        state = 'running', fingerprint = excluded.fingerprint, versions = excluded.versions,
        device = excluded.device, started = excluded.started, finished = NULL, message = ''
    WHERE state IN ('running', 'failed')
"""
_PLAN_COLUMNS = "id, study, tier, settings, seeds, cells, command, created, seconds, code"
_SAVE_PLAN = f"""
    INSERT INTO plans ({_PLAN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET
        command = excluded.command, created = excluded.created, seconds = excluded.seconds,
        code = excluded.code
"""


def _ids(ids: Sequence[str]) -> str:
    return json.dumps(list(ids))


def _cell_to_sql(row: CellRow) -> tuple[Any, ...]:
    return (
        row.id,
        row.study,
        row.version,
        canonical(row.parameters),
        row.repetition,
        row.fingerprint,
        json.dumps(dict(row.versions), sort_keys=True),
        row.device,
        row.seconds,
        row.started,
        row.finished,
        row.message,
    )


def _cell_from_sql(row: tuple[Any, ...], values: Mapping[str, float]) -> CellRow:
    return CellRow(
        id=row[0],
        study=row[1],
        version=row[2],
        parameters=json.loads(row[3]),
        repetition=row[4],
        fingerprint=row[5],
        versions=json.loads(row[6]),
        device=row[7],
        state=row[8],
        seconds=row[9],
        started=row[10],
        finished=row[11],
        message=row[12],
        values=values,
    )


def _plan_to_sql(plan: PlanRow) -> tuple[Any, ...]:
    return (
        plan.id,
        plan.study,
        plan.tier,
        canonical(plan.settings),
        plan.seeds,
        json.dumps(plan.cells),
        plan.command,
        plan.created,
        plan.seconds,
        json.dumps(plan.code),
    )


def _plan_from_sql(row: tuple[Any, ...]) -> PlanRow:
    return PlanRow(
        id=row[0],
        study=row[1],
        tier=row[2],
        settings=json.loads(row[3]),
        seeds=row[4],
        cells=tuple(json.loads(row[5])),
        command=row[6],
        created=row[7],
        seconds=row[8],
        code=tuple(json.loads(row[9])),
    )


def _flat(row: CellRow) -> dict[str, Any]:
    parameters = {name: _hashable(value) for name, value in row.parameters.items()}
    return {**parameters, "repetition": row.repetition, "state": row.state, **row.values}


def _hashable(value: Any) -> Any:
    """Lists as tuples, so that rows can be grouped by them."""
    return tuple(_hashable(item) for item in value) if isinstance(value, list) else value
