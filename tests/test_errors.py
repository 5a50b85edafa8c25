import inspect

import pytest

from featlearn import errors

CLASSES = [
    c for _, c in inspect.getmembers(errors, inspect.isclass) if c.__module__ == errors.__name__
]


@pytest.mark.parametrize("error", CLASSES, ids=lambda c: c.__name__)
def test_one_except_clause_catches_all(error: type[Exception]) -> None:
    assert issubclass(error, errors.FeatlearnError)
    assert error.__doc__
    with pytest.raises(errors.FeatlearnError, match="got 3"):
        raise error("got 3")


def test_errors_are_those_of_python_too() -> None:
    assert issubclass(errors.InvalidInputError, ValueError)
    assert issubclass(errors.NotFoundError, LookupError)
