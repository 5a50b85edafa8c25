"""What `run` and `verify` share: plans computed into a store, watched."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from featlearn.cli._jax import check_device, prepare_jax
from featlearn.cli._progress import progress
from featlearn.cli._stops import kept_in
from featlearn.engine import Plan, Result, run_plans, tally
from featlearn.store import Store


@dataclass(frozen=True, kw_only=True)
class Session:
    """How each plan ended, its wall time, and the wall time of all."""

    results: tuple[Result, ...]
    wall: tuple[float, ...]
    seconds: float


def compute(plans: Sequence[Plan], store: Path, backend: str, *, quiet: bool = False) -> Session:
    """Compute what is missing and judge it."""
    started = time.perf_counter()
    prepare_jax()
    with Store(store) as opened:
        missing = _missing(plans, opened)
        if missing and backend == "local":
            check_device()
        import pandas  # noqa: F401  (what a plan is judged on; imports are no place to be stopped)

        shown = progress(len(plans), missing, quiet=quiet)
        with kept_in(opened.path), shown as watch:
            results = run_plans(plans, opened, backend=backend, observer=watch)
    return Session(
        results=tuple(results),
        wall=tuple(watch.seconds[plan.id] for plan in plans),
        seconds=time.perf_counter() - started,
    )


def _missing(plans: Sequence[Plan], store: Store) -> int:
    """Cells that are not there, or not by the present code."""
    tallies = (tally(plan.ids, store.statuses(plan.ids), plan.fingerprint) for plan in plans)
    return sum(count.open for count in tallies)
