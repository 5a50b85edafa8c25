"""featlearn run: compute what is missing of the named studies."""

import typer

from featlearn.cli._catalogue import catalogue
from featlearn.cli._consoles import output, write_json
from featlearn.cli._options import STORE, Backend, Json, Seeds, Sets, Some, StoreFile, Tier
from featlearn.cli._records import result_record
from featlearn.engine import Result, make_plans, split_changes


def run(
    studies: Some,
    tier: Tier = "quick",
    sets: Sets = None,
    seeds: Seeds = None,
    backend: Backend = "local",
    store: StoreFile = STORE,
    json: Json = False,
) -> None:
    """Compute what is missing of the named studies; exit 1 if a cell failed.

    What is complete is kept: a run that was stopped goes on with the same command.
    """
    from featlearn.cli._session import compute

    chosen = catalogue().select(studies)
    plans = make_plans(chosen, tier, changes=split_changes(sets or []), seeds=seeds)
    session = compute(plans, store, backend, quiet=json)
    if json:
        ended = zip(session.results, session.wall, strict=True)
        write_json({"studies": [result_record(*pair) for pair in ended]})
    else:
        for result in session.results:
            output().print(_sentence(result), soft_wrap=True)
    raise typer.Exit(0 if all(result.sound for result in session.results) else 1)


def _sentence(result: Result) -> str:
    """`residual/gap: 48 cells, 12 of them computed now, 1 diverged.`"""
    tally = result.tally
    parts = [f"{tally.cells} cells", f"{result.computed} of them computed now"]
    parts += [f"{tally.diverged} diverged"] if tally.diverged else []
    parts += [f"{tally.failed} failed ({'; '.join(result.failures)})"] if tally.failed else []
    sentence = f"{result.plan.study.name}: {', '.join(parts)}."
    return f"{sentence} {result.problem}".rstrip()
