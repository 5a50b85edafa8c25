"""--set name=value: the default decides how the value is read."""

import shlex

import pytest

from featlearn.engine._settings import assignment, command_line, read_value, split_changes
from featlearn.errors import InvalidInputError

READ = [
    ("8", 4, 8),
    ("1e4", 4, 10_000),
    ("-3", 4, -3),
    ("8", 0.5, 8.0),
    ("1e-3", 0.5, 0.001),
    ("true", False, True),
    ("False", True, False),
    ("some text", "x", "some text"),
    ('"some text"', "x", "some text"),
    ("8", "x", "8"),
    ("true", "x", "true"),
    ("8,16,32", [4], [8, 16, 32]),
    ("[8, 16]", [4], [8, 16]),
    ("8", [4], [8]),
    ("1,0.5", [2.0], [1.0, 0.5]),
    ("1,0.5", [2, 0.5], [1.0, 0.5]),
    ("rich,quartic", ["x"], ["rich", "quartic"]),
    ("rich", ("x",), ["rich"]),
    ("", [4], []),
    ("[[1,2],[3]]", [[1]], [[1, 2], [3]]),
    ('{"a": 1}', {"b": 2}, {"a": 1}),
    ("8", None, 8),
    ("null", None, None),
]


@pytest.mark.parametrize(("text", "default", "value"), READ)
def test_a_value_is_read_in_the_type_of_its_default(text, default, value):
    read = read_value("x", text, default)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("text", "default", "needed"),
    [
        ("8.5", 4, "a whole number, like 4"),
        ("many", 4, "a whole number"),
        ("", 4, "a whole number"),
        ("true", 4, "a whole number"),
        ("null", 4, "a whole number"),
        ("nan", 0.5, "a number"),
        ("1e400", 0.5, "a number"),
        ("1" + "0" * 400, 0.5, "a number"),
        ("Infinity", 4, "a whole number"),
        ("1", True, "true or false"),
        ("8,many", [4], r"a whole number, like 4"),
        ("8,", [4], "a whole number"),
        ("8", {"a": 1}, "a table in braces"),
    ],
)
def test_a_value_of_another_type_is_refused_with_an_example(text, default, needed):
    with pytest.raises(InvalidInputError, match=needed):
        read_value("x", text, default)


@pytest.mark.parametrize(
    "value",
    [8, 0.1, 1e-30, True, "plain", "with 'quotes\" and spaces", "8", '"', [8, 16], [0.5],
     ["rich", "correction"], ["a,b", "c"], [" a"], [True, False], {"a": [1]}, [[1, 2]]],
)  # fmt: skip
def test_what_a_command_shows_reads_back(value):
    command = command_line(["--set", assignment("x", value)])
    (text,) = split_changes(shlex.split(command)[1:]).values()
    assert read_value("x", text, value) == value


@pytest.mark.parametrize("text", ["dim", "", "=4", " =4"])
def test_set_needs_a_name_and_a_value(text):
    with pytest.raises(InvalidInputError, match="name=value, got"):
        split_changes([text])


def test_the_last_of_several_counts_and_a_value_may_hold_equals():
    assert split_changes(["a=1", "b= x=y ", "a=2"]) == {"a": "2", "b": "x=y"}
