"""From rows to findings: a study's `judge`, and what to say where it cannot."""

import logging
from collections.abc import Sequence

from featlearn.claims import Finding
from featlearn.engine._compute import one_line
from featlearn.engine._plan import Plan
from featlearn.store import Store

_log = logging.getLogger(__name__)


def judge_plan(plan: Plan, store: Store) -> tuple[list[Finding], str]:
    """The findings on a plan's cells, or none and a sentence that says why."""
    frame = store.frame(plan.ids)
    try:
        return _checked(plan.study.judge(frame)), ""
    except Exception as error:
        _log.debug("%s could not be judged", plan.study.name, exc_info=True)
        return [], _sentence(plan, error, [*frame["state"]])


def _checked(findings: Sequence[Finding]) -> list[Finding]:
    findings = list(findings)
    if not all(isinstance(finding, Finding) for finding in findings):
        raise TypeError("its judge gave something else than findings")
    return findings


def _sentence(plan: Plan, error: Exception, states: list[str]) -> str:
    lost = sum(state in ("failed", "diverged") for state in states)
    why = f" with {lost} of {len(states)} cells failed or diverged" if lost else ""
    return f"{plan.study.name} could not be judged{why} ({one_line(error)})."
