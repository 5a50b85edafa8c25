"""Who wants to see a run's progress; the engine itself prints nothing."""

from typing import TYPE_CHECKING, Protocol

from featlearn.engine._plan import Plan
from featlearn.engine._tally import Tally

if TYPE_CHECKING:
    from featlearn.engine._run import Result


class Observer(Protocol):
    """Told of each plan in turn: what is to do, each fleet that is stored, how it ended."""

    def planned(self, plan: Plan, before: Tally) -> None: ...

    def advanced(self, plan: Plan, cells: int) -> None: ...

    def finished(self, result: "Result") -> None: ...


class Silent:
    """Sees nothing."""

    def planned(self, plan: Plan, before: Tally) -> None: ...

    def advanced(self, plan: Plan, cells: int) -> None: ...

    def finished(self, result: "Result") -> None: ...
