"""A plan: which cells a study is judged on, and the command that makes them again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from featlearn.engine._code import code_roots, fingerprint
from featlearn.engine._settings import assignment, changed, check_names, command_line
from featlearn.engine._study import TIERS, Cell, Settings, Study, Tier
from featlearn.errors import FeatlearnError, InvalidInputError, NotFoundError
from featlearn.store import PlanRow, cell_id, digest, plain


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A study at a tier, with its cells in the order of the grid, each repetition in turn."""

    study: Study
    tier: Tier
    settings: Settings
    seeds: int
    cells: Mapping[str, Cell]  # by id
    command: str

    @property
    def ids(self) -> list[str]:
        return list(self.cells)

    @property
    def id(self) -> str:
        """The same for the same study, tier, settings and seeds."""
        study = self.study
        return digest([study.name, study.version, self.tier, self.settings, self.seeds])

    @cached_property
    def code(self) -> tuple[str, ...]:
        """Where the code lies that the numbers depend on."""
        return code_roots(self.study)

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.code)

    def row(self, created: str, seconds: float) -> PlanRow:
        """The plan as the store keeps it."""
        return PlanRow(
            id=self.id,
            study=self.study.name,
            tier=self.tier,
            settings=self.settings,
            seeds=self.seeds,
            cells=tuple(self.cells),
            command=self.command,
            created=created,
            seconds=seconds,
            code=self.code,
        )


def make_plans(
    studies: Sequence[Study],
    tier: str = "quick",
    *,
    changes: Mapping[str, str] | None = None,
    seeds: int | None = None,
) -> list[Plan]:
    """A plan for each study; `changes` are texts, as after --set."""
    changes = changes or {}
    known = _tier(tier)
    if seeds is not None and seeds < 1:
        raise InvalidInputError(f"--seeds must be at least 1, got {seeds}.")
    check_names(studies, known, changes)
    return [_make_plan(study, known, changes, seeds) for study in studies]


def _tier(name: str) -> Tier:
    for tier in TIERS:
        if tier == name:
            return tier
    raise NotFoundError(f"There is no tier {name!r}: choose one of {', '.join(TIERS)}.")


def _make_plan(study: Study, tier: Tier, changes: Mapping[str, str], seeds: int | None) -> Plan:
    settings = changed(study, tier, changes)
    count = study.seeds[tier] if seeds is None else seeds
    return Plan(
        study=study,
        tier=tier,
        settings=settings,
        seeds=count,
        cells=_cells(study, _grid(study, settings), count),
        command=_command(study, tier, settings, seeds),
    )


def _grid(study: Study, settings: Settings) -> list[dict[str, Any]]:
    try:
        grid = list(study.grid(settings))
    except FeatlearnError:
        raise
    except Exception as error:
        raise InvalidInputError(
            f"{study.name} cannot make its grid with these settings "
            f"({type(error).__name__}: {str(error).partition(chr(10))[0]}); check --set."
        ) from error
    if not grid:
        raise InvalidInputError(f"The grid of {study.name} is empty with these settings.")
    return grid


def _cells(study: Study, grid: Sequence[dict[str, Any]], seeds: int) -> dict[str, Cell]:
    cells = (
        Cell(study=study.name, version=study.version, parameters=parameters, repetition=repetition)
        for parameters in grid
        for repetition in range(study.repeats(parameters, seeds))
    )
    return {cell_id(c.study, c.version, c.parameters, c.repetition): c for c in cells}


def _command(study: Study, tier: Tier, settings: Settings, seeds: int | None) -> str:
    words = ["featlearn", "run", study.name, "--tier", tier]
    defaults = study.settings[tier]
    for name, value in settings.items():
        if plain(value) != plain(defaults[name]):
            words += ["--set", assignment(name, value)]
    if seeds is not None and seeds != study.seeds[tier]:
        words += ["--seeds", str(seeds)]
    return command_line(words)
