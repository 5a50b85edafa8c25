"""What `--set name=value` says, read against the default that it replaces.

    8   1e4   0.5   true   some text   "some text"   8,16,32   [8, 16, 32]

The default decides the type: an integer stays one, a list takes a comma list or one element.
"""

import json
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from featlearn.engine._study import Settings, Study, Tier
from featlearn.errors import InvalidInputError, NotFoundError


def split_changes(texts: Iterable[str]) -> dict[str, str]:
    """`name=value` texts as a table; the last one counts."""
    changes = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InvalidInputError(f"--set needs name=value, got {text!r}.")
        changes[name.strip()] = value.strip()
    return changes


def check_names(studies: Sequence[Study], tier: Tier, changes: Iterable[str]) -> None:
    """Every changed name must be a setting of one of the studies at least."""
    known = sorted({name for study in studies for name in study.settings.get(tier, {})})
    for name in changes:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise NotFoundError(
                f"There is no setting {name!r} here.{hint} "
                f"The selected studies have: {', '.join(known) or 'none'}."
            )


def changed(study: Study, tier: Tier, changes: Mapping[str, str]) -> Settings:
    """The tier's settings with those changes that concern the study."""
    if tier not in study.settings or tier not in study.seeds:
        tiers = ", ".join(study.settings)
        raise NotFoundError(f"{study.name} has no tier {tier!r}: choose one of {tiers}.")
    settings = dict(study.settings[tier])
    for name in settings.keys() & changes.keys():
        settings[name] = read_value(name, changes[name], settings[name])
    return settings


def read_value(name: str, text: str, default: Any) -> Any:
    """The value that `text` spells, in the type of the default."""
    if isinstance(default, str):
        return _text(text)
    value = _guess(text)
    if isinstance(default, list | tuple) and not isinstance(value, list):
        value = [_guess(part) for part in text.split(",")] if text else []
    try:
        return _conform(value, default)
    except TypeError as error:
        raise InvalidInputError(
            f"--set {name}={text} needs {error}, like {_shown(default)}."
        ) from None


def assignment(name: str, value: Any) -> str:
    """`name=value` as it can be typed after --set, without quotes for the shell."""
    if isinstance(value, str):
        return f"{name}={value if _text(value) == value else json.dumps(value)}"
    return f"{name}={_shown(value)}"


def command_line(words: Iterable[str]) -> str:
    """Words as they can be typed into a shell; a comma list needs no quotes."""
    return shlex.join(words)


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple) and value and all(map(_bare, value)):
        return ",".join(item if isinstance(item, str) else json.dumps(item) for item in value)
    return json.dumps(value, separators=(",", ":"))


def _bare(item: Any) -> bool:
    """Whether an element of a list means the same without brackets and quotes."""
    if not isinstance(item, str):
        return isinstance(item, int | float)
    return bool(item) and item == item.strip() and not set(item) & set(',"[]{}')


def _text(text: str) -> str:
    """Text as it stands, or what a JSON string spells."""
    quoted = _json(text) if text.startswith('"') else None
    return quoted if isinstance(quoted, str) else text


def _guess(text: str) -> Any:
    text = text.strip()
    value = _json(text)
    if value is not None or text == "null":
        return value
    if text.startswith("[") and text.endswith("]"):
        return [_guess(part) for part in text[1:-1].split(",") if part.strip()]
    lowered = text.lower()
    return lowered == "true" if lowered in ("true", "false") else text


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number")


def _conform(value: Any, default: Any) -> Any:
    """`value` in the type of `default`; a TypeError says what was needed."""
    if default is None:
        return value
    if isinstance(default, bool):
        return _expect(isinstance(value, bool), value, "true or false")
    if isinstance(default, int):
        whole = isinstance(value, int | float) and not isinstance(value, bool)
        whole = whole and abs(value) < float("inf") and value == int(value)
        return int(_expect(whole, value, "a whole number"))
    if isinstance(default, float):
        real = isinstance(value, int | float) and not isinstance(value, bool)
        real = real and abs(value) <= sys.float_info.max
        return float(_expect(real, value, "a number"))
    if isinstance(default, str):
        return value if isinstance(value, str) else json.dumps(value)
    if isinstance(default, list | tuple):
        _expect(isinstance(value, list), value, "a list")
        example = _example(default)
        return [_conform(item, example) for item in value]
    return _expect(isinstance(value, Mapping), value, "a table in braces")


def _example(default: Sequence[Any]) -> Any:
    """The element that decides the type of a list: a float where numbers are mixed."""
    floats = [item for item in default if isinstance(item, float)]
    return next(iter(floats or default), None)


def _expect(right: bool, value: Any, what: str) -> Any:
    if not right:
        raise TypeError(what)
    return value
