"""From a study to its verdict: plan, cells, fleets, rows, findings. Resumable, and silent."""

from featlearn.engine._backends import BACKENDS
from featlearn.engine._code import code_roots, fingerprint
from featlearn.engine._machine import device, processor, versions
from featlearn.engine._observer import Observer, Silent
from featlearn.engine._plan import Plan, make_plans
from featlearn.engine._registry import GROUP, Registry, load_registry
from featlearn.engine._run import Result, run_plans
from featlearn.engine._settings import command_line, split_changes
from featlearn.engine._study import TIERS, Cell, Outcome, Parameters, Settings, Study, Tier
from featlearn.engine._tally import Tally, tally

__all__ = [
    "BACKENDS",
    "GROUP",
    "TIERS",
    "Cell",
    "Observer",
    "Outcome",
    "Parameters",
    "Plan",
    "Registry",
    "Result",
    "Settings",
    "Silent",
    "Study",
    "Tally",
    "Tier",
    "code_roots",
    "command_line",
    "device",
    "fingerprint",
    "load_registry",
    "make_plans",
    "processor",
    "run_plans",
    "split_changes",
    "tally",
    "versions",
]
