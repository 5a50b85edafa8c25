"""Which studies there are: the built-in ones, and those that other packages bring."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points

from featlearn.engine._study import Study
from featlearn.errors import NotFoundError

GROUP = "featlearn.studies"


@dataclass(frozen=True)
class Registry:
    """Studies in the order of their systems, and a sentence for each plugin that was skipped."""

    studies: tuple[Study, ...]
    problems: tuple[str, ...] = ()

    def select(self, names: Sequence[str] = (), *, headline: bool = False) -> tuple[Study, ...]:
        """Studies by id (`representations/width`) or system (`representations`); all by default."""
        wanted = {study.name for name in names for study in self._named(name)}
        chosen = [study for study in self.studies if not names or study.name in wanted]
        if not headline:
            return tuple(chosen)
        heads = tuple(study for study in chosen if study.headline)
        if not heads:
            raise NotFoundError(
                "None of these studies is a headline one: leave out --headline, or name others."
            )
        return heads

    def find(self, name: str) -> Study | None:
        """The study of that id, if it is known here."""
        return next((study for study in self.studies if study.name == name), None)

    def _named(self, name: str) -> list[Study]:
        name = name.rstrip("/")
        found = [study for study in self.studies if name in (study.name, study.system)]
        if not found:
            raise NotFoundError(f"There is no study {name!r}{self._hint(name)}")
        return found

    def _hint(self, name: str) -> str:
        systems = sorted({study.system for study in self.studies})
        claims = {study.name.partition("/")[2]: study.name for study in self.studies}
        near = get_close_matches(name, [*systems, *(s.name for s in self.studies)], n=3)
        near += [claims[claim] for claim in get_close_matches(name, list(claims), n=3)]
        names = ", ".join(dict.fromkeys(near))
        return f"; did you mean {names}?" if near else ": `featlearn list` names them."


def load_registry(builtin: Iterable[Study]) -> Registry:
    """The built-in studies, then those of the entry-point group `featlearn.studies`.

    An entry point names a study, a sequence of them, or a module with `STUDIES`.
    """
    studies = list(builtin)
    problems = []
    for point in entry_points(group=GROUP):
        try:
            added = _studies_of(point)
            _check_new(added, studies)
        except Exception as error:
            problems.append(_problem(point, error))
        else:
            studies += added
    return Registry(_by_system(studies), tuple(problems))


def _studies_of(point: EntryPoint) -> list[Study]:
    loaded = point.load()
    loaded = getattr(loaded, "STUDIES", loaded)
    studies = [loaded] if isinstance(loaded, Study) else list(loaded)
    if not all(isinstance(study, Study) for study in studies):
        raise TypeError("what it names is not a study, nor a sequence of studies")
    return studies


def _check_new(added: Iterable[Study], known: Iterable[Study]) -> None:
    taken = {study.name for study in known}
    for study in added:
        if study.name in taken:
            raise ValueError(f"there is a study {study.name!r} already")
        taken.add(study.name)


def _problem(point: EntryPoint, error: Exception) -> str:
    lines = str(error).splitlines() or [""]
    owner = point.dist.name if point.dist else point.value
    return (
        f"The studies of {owner} were skipped ({type(error).__name__}: {lines[0]}): "
        "update or uninstall it."
    )


def _by_system(studies: Sequence[Study]) -> tuple[Study, ...]:
    systems = list(dict.fromkeys(study.system for study in studies))
    return tuple(sorted(studies, key=lambda study: (systems.index(study.system), study.order)))
