"""The table of `verify`: claim · predicted · measured [interval] · verdict."""

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from featlearn.claims import Finding
from featlearn.cli._session import Session
from featlearn.engine import Result
from featlearn.report._numbers import duration, interval, number

_MANY = 10_000  # seeds beyond which a number says no more than 'many'


def verdicts(session: Session) -> Group:
    """A heading, one block a study, and what they add up to."""
    blocks: list[RenderableType] = [_table([("claim", "predicted", "measured", "verdict")], "dim")]
    for result, wall in zip(session.results, session.wall, strict=True):
        blocks += [Text(), *_study(result, wall)]
    return Group(*blocks, Text(), summary(session))


def summary(session: Session) -> Text:
    """`3 claims hold, 1 is open; 4 controls fail, as they must. 2 min 41 s.`"""
    findings = [finding for result in session.results for finding in result.findings]
    parts = [_claims(findings), _controls(findings), _unjudged(session.results)]
    text = Text("; ".join(filter(None, parts)) or "Nothing was claimed", style="bold")
    return text.append(f". {duration(session.seconds)} in all.")


def _study(result: Result, wall: float) -> Iterator[RenderableType]:
    plan = result.plan
    yield Text.assemble(
        (plan.study.name, "bold"),
        (f"  {plan.tier}, {_seeds(plan.seeds)}, {_time(result, wall)}", "dim"),
    )
    yield Padding(Text(plan.study.statement, style="italic"), (0, 0, 0, 2), expand=False)
    for problem in _problems(result):
        yield Padding(Text(problem, style="red"), (0, 0, 0, 2), expand=False)
    if result.findings:
        yield _table([_row(finding) for finding in result.findings])


def _table(rows: Iterable[Sequence[str | Text]], style: str = "") -> Table:
    """Columns of the same widths in every block, so that the blocks line up."""
    table = Table(
        box=None, show_header=False, expand=True, padding=(0, 0, 0, 2), style=style, pad_edge=True
    )
    for ratio in (34, 16, 24, 20):
        table.add_column(ratio=ratio, overflow="fold")
    for row in rows:
        table.add_row(*row, style=style)
    return table


def _row(finding: Finding) -> tuple[Text, str, str, Text]:
    measured = finding.measured
    return (
        _label(finding),
        finding.predicted,
        f"{number(measured.value)} {interval(measured.low, measured.high)}",
        _verdict(finding),
    )


def _label(finding: Finding) -> Text:
    text = Text("control: " if finding.role == "control" else "", style="dim")
    text.append(finding.label, style="not dim")
    if finding.flags:
        text.append(f"\n! {', '.join(finding.flags)}", style="not dim yellow")
    if finding.note:
        text.append(f"\n{finding.note}", style="dim")
    return text


def _verdict(finding: Finding) -> Text:
    control = finding.role == "control"
    if finding.verdict == "holds":
        return Text("holds, and must not", "bold red") if control else Text("holds", "green")
    if finding.verdict == "fails":
        return Text("fails, as it must", "green") if control else Text("fails", "bold red")
    if finding.verdict == "open":
        return Text(f"open{_to_settle(finding.more_seeds)}", "yellow")
    return Text("measured", "dim")


def _to_settle(more: int | None) -> str:
    if more is None:
        return ""
    count = str(more) if more < _MANY else "very many"
    return f": needs {count} more seed{'s' if more > 1 else ''}"


def _problems(result: Result) -> Iterator[str]:
    """Why there is no verdict, or what the verdict does not rest on."""
    if result.problem:
        yield result.problem
    tally = result.tally
    if tally.diverged:
        yield f"{tally.diverged} of {tally.cells} cells diverged."
    if tally.failed:
        yield f"{tally.failed} of {tally.cells} cells failed: {'; '.join(result.failures)}"


def _time(result: Result, wall: float) -> str:
    if result.computed:
        return duration(wall)
    return f"stored ({duration(result.tally.seconds)} when computed)"


def _seeds(count: int) -> str:
    return f"{count} seed{'s' if count > 1 else ''}"


def _claims(findings: Sequence[Finding]) -> str:
    kinds = [finding.verdict for finding in findings if finding.role == "claim"]
    verbs = {
        "holds": ("holds", "hold"),
        "fails": ("fails", "fail"),
        "open": ("is open", "are open"),
    }
    counts = [(kinds.count(kind), verb) for kind, verb in verbs.items()]  # type: ignore[arg-type]
    parts = [f"{count} {verb[count > 1]}" for count, verb in counts if count]
    return f"Of {len(kinds)} claims {', '.join(parts)}" if parts else ""


def _controls(findings: Sequence[Finding]) -> str:
    controls = [finding for finding in findings if finding.role == "control"]
    failing = sum(finding.verdict == "fails" for finding in controls)
    if not controls:
        return ""
    if failing == len(controls):
        return f"{failing} control{'s fail, as they' if failing > 1 else ' fails, as it'} must"
    return f"of {len(controls)} controls, which must fail, {failing} fail"


def _unjudged(results: Sequence[Result]) -> str:
    count = sum(bool(result.problem) for result in results)
    return f"{count} stud{'ies' if count > 1 else 'y'} could not be judged" if count else ""
