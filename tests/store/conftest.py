"""Rows to put into a store."""

import pytest

from featlearn.store import CellRow, PlanRow, cell_id


@pytest.fixture
def make_row():
    def make(repetition=0, **changes):
        parameters = changes.pop("parameters", {"n": 8, "widths": [4, 2]})
        return CellRow(
            **{
                "id": cell_id("s/c", 1, parameters, repetition),
                "study": "s/c",
                "version": 1,
                "parameters": parameters,
                "repetition": repetition,
                "fingerprint": "f",
                "versions": {"jax": "0.10"},
                "device": "cpu",
                "started": "2025",
                **changes,
            }
        )

    return make


@pytest.fixture
def make_plan():
    def make(name="p", cells=(), **changes):
        fields = {
            "id": name,
            "study": "s/c",
            "tier": "quick",
            "settings": {"n": [8, 16]},
            "seeds": 2,
            "cells": tuple(cells),
            "command": "featlearn run s/c --tier quick",
            "created": "2025",
            "code": ("featlearn.fleet",),
        }
        return PlanRow(**{**fields, **changes})

    return make
