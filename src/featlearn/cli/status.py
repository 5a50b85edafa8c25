"""featlearn status: how far each plan in the store has come."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from rich.table import Table
from rich.text import Text

from featlearn.cli._consoles import output, write_json
from featlearn.cli._options import STORE, Json, StoreFile
from featlearn.cli._records import tally_record
from featlearn.engine import Tally, fingerprint, tally
from featlearn.store import PlanRow, Store

_STATES = ("done", "diverged", "failed", "stale", "running", "missing")
_ALWAYS = ("done", "missing")


def status(store: StoreFile = STORE, json: Json = False) -> None:
    """Cells done, diverged, failed, stale and missing, for each plan in the store.

    Stale cells were computed by other code than the present; a run computes them again.
    """
    with Store(store, read_only=True) as opened:
        now = cache(fingerprint)
        plans = [
            (plan, tally(plan.cells, opened.statuses(plan.cells), now(plan.code)))
            for plan in opened.plans()
        ]
    if json:
        write_json({"plans": [_record(*pair) for pair in plans]})
        return
    console = output()
    if not plans:
        console.print("Nothing was run into this store yet.")
        return
    console.print(_table(plans))
    unfinished = [plan.command for plan, count in plans if count.open]
    if unfinished:
        console.print("\nTo complete them:")
    for command in unfinished:
        console.print(f"  {command}", soft_wrap=True)


def _record(plan: PlanRow, count: Tally) -> dict[str, Any]:
    return {
        "study": plan.study,
        "tier": plan.tier,
        "settings": dict(plan.settings),
        "seeds": plan.seeds,
        "command": plan.command,
        "used": plan.created,
        "cells": tally_record(count),
        "computing_seconds": count.seconds,
    }


def _table(plans: Iterable[tuple[PlanRow, Tally]]) -> Table:
    plans = list(plans)
    states = [s for s in _STATES if s in _ALWAYS or any(getattr(t, s) for _, t in plans)]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("study", overflow="fold")
    table.add_column("tier")
    for state in ("seeds", *states):
        table.add_column(state, justify="right")
    for plan, count in plans:
        cells = [str(getattr(count, state)) for state in states]
        table.add_row(_name(plan), plan.tier, str(plan.seeds), *cells)
    return table


def _name(plan: PlanRow) -> Text:
    """The study, and what was changed with --set, which tells its plans apart."""
    changes = plan.command.partition(" --set ")[2].partition(" --seeds ")[0]
    return Text.assemble(plan.study, (f"\n{changes}" if changes else "", "dim"))
