"""Rows of a study's own grid with invented values, as the store would give them back."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

SPREAD = 0.03  # of the logarithm of a value, from seed to seed


def invent_rows(study, law, tier="quick"):
    """One row for each cell of the tier; `law(parameters, luck)` gives its values.

    `luck` is near 1 and differs from row to row, as seeds do.
    """
    rng = np.random.default_rng(0)
    rows = []
    for parameters in study.grid(study.settings[tier]):
        kept = {k: tuple(v) if isinstance(v, list) else v for k, v in parameters.items()}
        for repetition in range(study.repeats(parameters, study.seeds[tier])):
            values = law(SimpleNamespace(**parameters), np.exp(SPREAD * rng.normal()))
            rows.append({**kept, "repetition": repetition, "state": "done", **values})
    return pd.DataFrame(rows)


class Judged(dict):
    """The findings of a study on some rows, by label."""

    def __init__(self, study, rows):
        super().__init__((finding.label, finding) for finding in study.judge(rows))
        assert {finding.claim for finding in self.values()} == {study.name}

    def verdicts(self, role):
        """{label: verdict} of the claims, or of the controls."""
        return {label: f.verdict for label, f in self.items() if f.role == role}

    @property
    def as_it_should_be(self):
        """Every claim holds and every control fails; there is one of each at least."""
        claims, controls = (set(self.verdicts(role).values()) for role in ("claim", "control"))
        return claims == {"holds"} and controls == {"fails"}

    @property
    def unexpected(self):
        """The labels for which `verify` exits with 1."""
        return {label for label, finding in self.items() if not finding.as_expected}


@pytest.fixture(scope="session")
def invent():
    return invent_rows


@pytest.fixture(scope="session")
def judged():
    return Judged
