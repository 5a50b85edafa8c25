"""Colours and marks that can be told apart."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from featlearn.report.figures import learner_style
from featlearn.report.figures._palette import (
    _LEARNERS,
    MUTED,
    PAPER,
    TONE_COLOURS,
    series_styles,
)


def _contrast(colour):
    def light(c):
        rgb = np.array(to_rgb(c))
        return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) @ (
            [0.2126, 0.7152, 0.0722]
        )

    return (light(PAPER) + 0.05) / (light(colour) + 0.05)


def test_learners_can_be_told_apart_in_print():
    looks = [(s.colour, s.dash, s.marker) for s in _LEARNERS.values()]
    assert len(set(looks)) == len(looks)
    in_grey = [(s.dash, s.marker) for s in _LEARNERS.values()]
    assert max(in_grey.count(look) for look in in_grey) == 1


@pytest.mark.parametrize(
    ("spelt", "name"),
    [
        ("one_step", "one step"),
        ("OneStep", "one step"),
        ("ntk ridge", "NTK"),
        ("random_features", "random features"),
        ("Laplace kernel", "Laplace"),
        ("AGOP", "gradient-outer-product machine"),
    ],
)
def test_a_learner_is_known_however_it_is_spelt(spelt, name):
    assert learner_style(spelt) == _LEARNERS[name]


def test_names_are_legible_on_paper():
    colours = {s.colour for s in _LEARNERS.values()} | {MUTED} | set(TONE_COLOURS.values())
    colours |= {s.colour for s in series_styles([1, 2, 4, 8]).values()}
    assert min(map(_contrast, colours)) > 3
    assert _contrast("#6cb0e0") < 3


def test_unknown_series_take_what_known_ones_leave():
    styles = series_styles(["one step", "mine", "yours"])
    assert styles["one step"] == learner_style("one step")
    for a, b in itertools.combinations(styles.values(), 2):
        assert a.colour != b.colour


def test_numbers_go_from_light_to_dark():
    styles = series_styles([16, 64, 256])
    contrasts = [_contrast(style.colour) for style in styles.values()]
    assert contrasts == sorted(contrasts)
    assert len({style.marker for style in styles.values()}) == 3
    assert len(series_styles([True, False])) == 2
