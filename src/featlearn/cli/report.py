"""featlearn report: one page, from the store alone."""

from pathlib import Path
from typing import Annotated

import typer

from featlearn.cli._catalogue import catalogue
from featlearn.cli._consoles import output, say, write_json
from featlearn.cli._options import STORE, Json, StoreFile
from featlearn.errors import InvalidInputError


def report(
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="The directory for the page.")
    ] = Path("featlearn-report"),
    store: StoreFile = STORE,
    json: Json = False,
) -> None:
    """Write one self-contained page on what is in the store.

    Each study is shown by the plan that was used last, with the command that makes it again.
    """
    from featlearn.cli._entries import entries_and_system
    from featlearn.report import write_page
    from featlearn.store import Store

    with Store(store, read_only=True) as opened:
        entries, system, problems = entries_and_system(opened, catalogue())
    if not entries:
        raise InvalidInputError(
            f"{store} holds no study to report on: run `featlearn verify --headline` first."
        )
    page = write_page(entries, out, title="featlearn", system=system)
    for problem in problems:
        say(problem)
    if json:
        write_json({"page": str(page), "studies": [e.name for e in entries], "warnings": problems})
    else:
        output().print(str(page), soft_wrap=True)
