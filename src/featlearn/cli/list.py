"""featlearn list: the studies, what each claims, and where the claim comes from."""

from itertools import groupby

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from featlearn.cli._catalogue import catalogue
from featlearn.cli._consoles import output, write_json
from featlearn.cli._options import Json
from featlearn.cli._records import study_record
from featlearn.engine import Study


def list_studies(json: Json = False) -> None:
    """The studies and their claims, with the document each comes from."""
    studies = catalogue().studies
    if json:
        write_json({"studies": [study_record(study) for study in studies]})
        return
    console = output()
    for system, members in groupby(studies, key=lambda study: study.system):
        console.print(Text(system, style="bold"))
        for study in members:
            _show(console, study)
        console.print()
    console.print("Those marked * are what `featlearn verify --headline` tests.")


def _show(console: Console, study: Study) -> None:
    mark = "*" if study.headline else " "
    console.print(Text.assemble(f"{mark} ", (study.name, "cyan")))
    console.print(Padding(Text(study.statement), (0, 0, 0, 4), expand=False))
    console.print(Padding(Text(study.source, style="dim"), (0, 0, 0, 4), expand=False))
