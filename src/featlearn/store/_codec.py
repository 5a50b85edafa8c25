"""Findings as JSON. Infinite ends of an interval survive as text, which plain JSON can carry."""

import json
import math
from dataclasses import asdict
from typing import Any

from featlearn.claims import Finding, Measured


def finding_to_json(finding: Finding) -> str:
    """One finding as a line of JSON."""
    record = asdict(finding)
    record["measured"] = {name: _outward(v) for name, v in record["measured"].items()}
    return json.dumps(record, allow_nan=False, sort_keys=True)


def finding_from_json(text: str) -> Finding:
    """The finding that `finding_to_json` wrote."""
    record: dict[str, Any] = json.loads(text)
    measured = record.pop("measured")
    seeds = int(measured.pop("seeds"))
    ends = {name: float(value) for name, value in measured.items()}
    flags = tuple(record.pop("flags"))
    return Finding(**record, flags=flags, measured=Measured(**ends, seeds=seeds))


def _outward(value: float) -> float | int | str:
    number = value if isinstance(value, int) else float(value)
    return number if math.isfinite(number) else str(number)
