"""Validation chooses; a setting that diverged never is chosen."""

import numpy as np
import pandas as pd

from featlearn.studies.beyond._choice import ONE_FIT, chosen, flags_of, line_of, over

ONE = dict.fromkeys(ONE_FIT, 0) | {"learner": "ResNet", "target": "slides"}


def row(**more):
    return ONE | {"state": "done", "rate": 0.1, "decay": 0.0, "validation": 1.0, "risk": 1.0} | more


def test_the_setting_of_least_validation_error_is_chosen():
    rows = pd.DataFrame(
        [
            row(rate=0.1, validation=0.5, risk=0.6),
            row(rate=0.2, validation=0.4, risk=0.9),  # a better test error elsewhere is not seen
            row(rate=0.5, validation=0.1, risk=0.1, state="diverged"),
            row(rate=0.1, validation=0.3, risk=0.3, repetition=1),
        ]
    )
    best = chosen(rows)
    assert list(best["risk"]) == [0.9, 0.3]
    assert list(chosen(rows, by="risk")["risk"]) == [0.6, 0.3]
    assert over(best, "risk", 0.3).value == (0.9 + 0.3) / 2 / 0.3


def test_where_every_setting_diverged_the_error_is_infinite():
    rows = pd.DataFrame([row(state="diverged", risk=np.nan)])
    assert np.isinf(chosen(rows)["risk"]).all()
    assert flags_of(rows, chosen(rows)) == ("some settings diverged",)


def test_a_choice_at_the_end_of_its_grid_is_flagged():
    rows = pd.DataFrame([row(rate=rate, validation=1 / rate) for rate in (0.1, 0.2, 0.5)])
    assert flags_of(rows, chosen(rows)) == ("grid edge",)
    middle = pd.DataFrame([row(rate=r, validation=abs(r - 0.2)) for r in (0.1, 0.2, 0.5)])
    assert flags_of(middle, chosen(middle)) == ()


def test_the_lines_of_the_documents():
    assert abs(line_of("slides", 0.3) - 0.72) < 1e-12
    assert abs(line_of("later", 0.3) - 1.35) < 1e-12
