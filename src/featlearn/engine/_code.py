"""Which code a study's numbers depend on, and a fingerprint of its source.

A cell that other code computed is stale: it is computed again. What only judges, draws, stores or
prints is left out, so that a new colour in a figure recomputes nothing.
"""

import ast
import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from featlearn.engine._study import Study

_ROOMS = (
    "featlearn.decompositions",
    "featlearn.fleet",
    "featlearn.inputs",
    "featlearn.kernels",
    "featlearn.learners",
    "featlearn.measures.components",
    "featlearn.measures.estimates",
    "featlearn.measures.risks",
    "featlearn.measures.subspaces",
    "featlearn.precision",
    "featlearn.samples",
    "featlearn.seeds",
    "featlearn.targets",
    "featlearn.tasks",
)
_STUDIES = "featlearn.studies"


def code_roots(study: Study) -> tuple[str, ...]:
    """Modules and packages by name: the numerical rooms, and where the study itself lies.

    A built-in study counts with the modules of `featlearn.studies` that it imports; a study of
    another package counts with the whole of that package.
    """
    home = getattr(study.run, "__module__", None) or "__main__"
    if home.startswith(f"{_STUDIES}."):
        return (*_ROOMS, *sorted(_neighbours(home)))
    return (*_ROOMS, home.partition(".")[0])


def fingerprint(roots: Sequence[str]) -> str:
    """A hash of the source below the roots; the place where it lies does not enter."""
    total = hashlib.sha256()
    for root in sorted(set(roots)):
        for name, path in _sources(root):
            source = path.read_bytes().replace(b"\r\n", b"\n")
            total.update(f"{name}\0{len(source)}\0".encode() + source)
    return total.hexdigest()[:16]


def _sources(root: str) -> Iterator[tuple[str, Path]]:
    """Every source file of a module or package, with its name within it."""
    place = _place(root)
    if place is None:
        return
    if place.is_dir():
        for path in sorted(place.rglob("*.py")):
            yield f"{root}/{path.relative_to(place).as_posix()}", path
    elif place.is_file():
        yield root, place


@cache
def _place(module: str) -> Path | None:
    """Where a module lies, found without importing it, for that could take seconds."""
    top, *rest = module.split(".")
    folders, file = _top(top)
    for folder in folders:
        path = folder.joinpath(*rest)
        for candidate in (path, path.with_suffix(".py")):
            if candidate.exists():
                return candidate
    return file if not rest else None


def _top(name: str) -> tuple[list[Path], Path | None]:
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):  # __main__ has no spec when it is a file
        spec = None
    if spec is None:
        file = getattr(__import__(name), "__file__", None) if name == "__main__" else None
        return [], Path(file) if file else None
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    return folders, Path(spec.origin) if spec.origin else None


def _neighbours(module: str) -> set[str]:
    """The module and those of `featlearn.studies` that it imports, directly or not."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        place = _place(name)
        if name in found or name == _STUDIES or place is None:
            continue
        found.add(name)
        files = place.rglob("*.py") if place.is_dir() else [place]
        for path in files:
            waiting += [n for n in _imports(path, name) if n.startswith(f"{_STUDIES}.")]
    return found


def _imports(path: Path, module: str) -> Iterator[str]:
    """Names of modules that a file may import; `from a import b` may mean a.b."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*above, *filter(None, [node.module])]) if node.level else node.module
            yield str(base)
            yield from (f"{base}.{alias.name}" for alias in node.names)
