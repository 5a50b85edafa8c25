"""Studies, tallies, findings and results as --json shows them."""

from dataclasses import asdict
from typing import Any

from featlearn.claims import Finding, overall
from featlearn.engine import Result, Study, Tally


def study_record(study: Study) -> dict[str, Any]:
    """What a study says of itself."""
    return {
        "study": study.name,
        "system": study.system,
        "statement": study.statement,
        "source": study.source,
        "headline": study.headline,
        "tiers": list(study.settings),
    }


def tally_record(tally: Tally) -> dict[str, Any]:
    """Cells counted by state; running ones belong to another process, or to one that ended."""
    counts = asdict(tally)
    counts.pop("seconds")
    return {"cells": tally.cells, **counts}


def finding_record(finding: Finding) -> dict[str, Any]:
    """A finding, with whether it is what it must be."""
    return {**asdict(finding), "as_expected": finding.as_expected}


def result_record(result: Result, wall: float) -> dict[str, Any]:
    """How one plan ended."""
    plan = result.plan
    return {
        "study": plan.study.name,
        "statement": plan.study.statement,
        "source": plan.study.source,
        "tier": plan.tier,
        "settings": dict(plan.settings),
        "seeds": plan.seeds,
        "command": plan.command,
        "cells": tally_record(result.tally),
        "computed": result.computed,
        "computing_seconds": result.tally.seconds,
        "wall_seconds": wall,
        "verdict": overall(result.findings) if not result.problem else None,
        "findings": [finding_record(finding) for finding in result.findings],
        "problem": result.problem,
        "failures": list(result.failures),
    }
