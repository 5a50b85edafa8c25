"""Colours that a colour-blind reader can tell apart, one for each learner, the same everywhere."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """How a line looks. Dash and marker repeat what the colour says, for print without colour."""

    colour: str
    dash: str = "-"
    marker: str = "o"
    width: float = 1.6


def learner_style(name: str) -> Style:
    """The style of a learner: 'one step', 'NTK', 'random_features', …; grey if unknown."""
    raise NotImplementedError
