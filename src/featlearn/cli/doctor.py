"""featlearn doctor: what there is here, what is slow, and the remedy."""

from rich.table import Table

from featlearn.cli._consoles import output, write_json
from featlearn.cli._options import Json


def doctor(json: Json = False) -> None:
    """Devices, versions, memory, measured speed, what is slow here and what to do."""
    from featlearn.cli._checks import check_all

    facts = check_all()
    if json:
        write_json(
            {
                "facts": {fact.name: fact.value for fact in facts},
                "remedies": [fact.remedy for fact in facts if fact.remedy],
            }
        )
        return
    console = output()
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for fact in facts:
        table.add_row(fact.name, fact.value)
    console.print(table)
    console.print()
    remedies = [fact.remedy for fact in facts if fact.remedy]
    for remedy in remedies or ["Nothing here is slow for want of something."]:
        console.print(f"- {remedy}" if remedies else remedy)
