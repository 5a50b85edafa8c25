"""The studies that there are here."""

from featlearn.cli._consoles import say
from featlearn.engine import Registry, load_registry


def catalogue() -> Registry:
    """The built-in studies and those of other packages; says which of the latter were skipped."""
    from featlearn.studies import STUDIES

    registry = load_registry(STUDIES)
    for problem in registry.problems:
        say(problem)
    return registry
