"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

STORE = Path("featlearn.sqlite")

Some = Annotated[list[str], typer.Argument(metavar="STUDY", help="Studies or systems, as listed.")]
Any = Annotated[
    list[str] | None, typer.Argument(metavar="STUDY", help="Studies or systems; default: all.")
]
Tier = Annotated[
    str, typer.Option("--tier", metavar="smoke|quick|full", help="How large the experiments are.")
]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Change a setting; may be repeated."),
]
Seeds = Annotated[
    int | None, typer.Option("--seeds", metavar="N", help="Repetitions of each cell.")
]
Backend = Annotated[
    str, typer.Option("--backend", metavar="local|ray", help="Where the cells are computed.")
]
StoreFile = Annotated[
    Path, typer.Option("--store", metavar="FILE", help="The file that holds every number.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout.")]
