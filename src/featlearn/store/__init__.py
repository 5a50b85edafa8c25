"""One SQLite file that holds every number: cells, their values, plans and findings."""

from featlearn.store._identity import canonical, cell_id, digest, plain
from featlearn.store._rows import CellRow, CellStatus, PlanRow, State
from featlearn.store._schema import SCHEMA_VERSION
from featlearn.store._store import Store

__all__ = [
    "SCHEMA_VERSION",
    "CellRow",
    "CellStatus",
    "PlanRow",
    "State",
    "Store",
    "canonical",
    "cell_id",
    "digest",
    "plain",
]
