"""The commands, and the options that stand before them."""

import logging
from typing import Annotated

import typer

from featlearn.cli.doctor import doctor
from featlearn.cli.list import list_studies
from featlearn.cli.report import report
from featlearn.cli.run import run
from featlearn.cli.status import status
from featlearn.cli.verify import verify
from featlearn.engine import versions

app = typer.Typer(
    name="featlearn",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("list")(list_studies)
for _command in (run, verify, report, status, doctor):
    app.command()(_command)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"featlearn {versions()['featlearn']}")
        raise typer.Exit


@app.callback()
def featlearn(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the whole traceback of whatever goes wrong.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """When does gradient descent learn features that no kernel can? Claims, tested."""
    if debug:
        logging.basicConfig(format="%(name)s: %(message)s")
        logging.getLogger("featlearn").setLevel(logging.DEBUG)
