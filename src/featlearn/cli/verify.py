"""featlearn verify: what the theory predicts, what was measured, and the verdicts."""

from typing import Annotated

import typer

from featlearn.cli._catalogue import catalogue
from featlearn.cli._consoles import output, write_json
from featlearn.cli._options import STORE, Any, Backend, Json, Seeds, Sets, StoreFile, Tier
from featlearn.cli._records import result_record
from featlearn.engine import Result, make_plans, split_changes


def verify(
    studies: Any = None,
    headline: Annotated[
        bool, typer.Option("--headline", help="Only the main claims of each system.")
    ] = False,
    tier: Tier = "quick",
    sets: Sets = None,
    seeds: Seeds = None,
    backend: Backend = "local",
    store: StoreFile = STORE,
    json: Json = False,
) -> None:
    """Compute what is missing and print the verdicts; exit 1 if a claim fails.

    A control removes the mechanism, and must fail; one that holds makes the exit code 1 too, as
    does a study that could not be judged. An open verdict needs more seeds: it is no failure.
    """
    from featlearn.cli._session import compute

    chosen = catalogue().select(studies or (), headline=headline)
    plans = make_plans(chosen, tier, changes=split_changes(sets or []), seeds=seeds)
    session = compute(plans, store, backend, quiet=json)
    good = all(_good(result) for result in session.results)
    if json:
        ended = zip(session.results, session.wall, strict=True)
        records = [result_record(*pair) for pair in ended]
        write_json({"as_expected": good, "wall_seconds": session.seconds, "studies": records})
    else:
        from featlearn.cli._verdicts import verdicts

        output().print(verdicts(session))
    raise typer.Exit(0 if good else 1)


def _good(result: Result) -> bool:
    return not result.problem and all(finding.as_expected for finding in result.findings)
