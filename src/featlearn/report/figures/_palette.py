"""Colours that a colour-blind reader can tell apart, one for each learner, the same everywhere."""

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from numbers import Real

from matplotlib.colors import LinearSegmentedColormap, to_hex

INK = "#1c2127"
MUTED = "#66707a"
RULE = "#c3c9cf"
GRID = "#e8ebee"
PAPER = "#ffffff"

BLUE = "#0067a9"
SKY = "#3a9bd0"
ORANGE = "#c96a00"
GREEN = "#00845f"
ROSE = "#c2425b"
PURPLE = "#8b4fa5"
OLIVE = "#85791b"
WINE = "#7a2452"
INDIGO = "#463ea6"
GREY = "#737c86"

TONE_COLOURS = {"good": GREEN, "bad": ROSE, "open": "#a97400", "plain": MUTED}

_DASHED, _DOTTED, _DASHDOT, _LONG = "--", ":", "-.", (0, (7, 2))


@dataclass(frozen=True)
class Style:
    """How a line looks. Dash and marker repeat what the colour says, for print without colour."""

    colour: str
    dash: str | tuple[float, tuple[float, ...]] = "-"
    marker: str = "o"
    width: float = 1.6


_UNKNOWN = Style(GREY, "-", ".")

# Networks are drawn solid and wide, their ablations dashed, kernels thinner and broken.
_LEARNERS = {
    "one step": Style(BLUE, "-", "o", 2.0),
    "one step, non-symmetric": Style(SKY, _DASHED, "X"),
    "one step, fixed biases": Style(INDIGO, _DASHED, "8"),
    "joint": Style(BLUE, "-", "D", 2.0),
    "layer-wise": Style(ORANGE, _DASHED, "D"),
    "staged": Style(PURPLE, "-", "p", 1.8),
    "ResNet": Style(BLUE, "-", "s", 2.0),
    "fully connected": Style(ROSE, "-", "P", 1.8),
    "two-layer": Style(WINE, "-", "8", 1.8),
    "tangent": Style(ORANGE, _DASHED, "<"),
    "last layer": Style(OLIVE, _DOTTED, "<"),
    "gated": Style(INDIGO, "-", "X", 1.8),
    "random features": Style(ORANGE, _DASHED, "s"),
    "NTK": Style(ROSE, _LONG, "^"),
    "empirical NTK": Style(ROSE, _DOTTED, ">"),
    "conjugate kernel": Style(PURPLE, _DASHDOT, "v"),
    "RBF": Style(OLIVE, _DASHED, "P"),
    "Laplace": Style(WINE, _DOTTED, "d"),
    "polynomial": Style(INK, _DASHDOT, "p"),
    "sequential kernels": Style(SKY, _DASHDOT, "h"),
    "gradient-outer-product machine": Style(GREEN, _LONG, "h", 1.8),
    "pHd": Style(GREEN, _DASHED, "^"),
    "SIR": Style(INDIGO, _DOTTED, "v"),
    "SAVE": Style(SKY, _DASHDOT, ">"),
    "linear": Style(GREY, _DOTTED, "x"),
}

_ALIASES = {
    "onestepnonsymmetrical": "onestepnonsymmetric",
    "nonsymmetric": "onestepnonsymmetric",
    "nonsymmetriconestep": "onestepnonsymmetric",
    "jointly": "joint",
    "dense": "joint",
    "algorithm1": "staged",
    "residual": "resnet",
    "residualnetwork": "resnet",
    "mlp": "fullyconnected",
    "linearised": "tangent",
    "linearized": "tangent",
    "tangentmodel": "tangent",
    "lastlayeronly": "lastlayer",
    "neuraltangent": "ntk",
    "conjugate": "conjugatekernel",
    "gaussian": "rbf",
    "laplacian": "laplace",
    "agop": "gradientouterproductmachine",
    "rfm": "gradientouterproductmachine",
    "recursivefeaturemachine": "gradientouterproductmachine",
    "gradientouterproduct": "gradientouterproductmachine",
    "sequentialkernel": "sequentialkernels",
    "repeatedkernels": "sequentialkernels",
    "principalhessiandirections": "phd",
    "slicedinverseregression": "sir",
    "slicedaveragevarianceestimation": "save",
}


def learner_style(name: str) -> Style:
    """The style of a learner: 'one step', 'NTK', 'random_features', …; grey if unknown."""
    return _known(name) or _UNKNOWN


def series_styles(values: Sequence[Hashable]) -> dict[Hashable, Style]:
    """A style for each series: numbers a ramp, learners their own, others what is left."""
    if values and all(is_number(value) for value in values):
        return dict(zip(values, _ramp(len(values)), strict=True))
    known = {value: _known(str(value)) for value in values}
    taken = {style.colour for style in known.values() if style}
    spare = [style for style in _SPARE if style.colour not in taken] or list(_SPARE)
    unknown = [value for value in values if known[value] is None]
    filled = {value: spare[i % len(spare)] for i, value in enumerate(unknown)}
    return {value: known[value] or filled[value] for value in values}


def is_number(value: object) -> bool:
    """Whether a series is one of a scale (a width, a gap) and not a name or a switch."""
    return isinstance(value, Real) and not isinstance(value, bool)


def _known(name: str) -> Style | None:
    plain = _plain(name)
    for candidate in (plain, re.sub(r"(kernel)?(ridge|regression)?$", "", plain)):
        style = _BY_PLAIN_NAME.get(_ALIASES.get(candidate, candidate))
        if style is not None:
            return style
    return None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", name.lower())


def _ramp(count: int) -> list[Style]:
    ramp = LinearSegmentedColormap.from_list("ramp", ["#4d9bd3", "#1f67a8", "#0d2748"])
    places = [i / (count - 1) for i in range(count)] if count > 1 else [0.5]
    markers = "osD^vPXp"
    return [
        Style(to_hex(ramp(place)), "-", markers[i % len(markers)]) for i, place in enumerate(places)
    ]


_BY_PLAIN_NAME = {_plain(name): style for name, style in _LEARNERS.items()}
_SPARE = (
    Style(BLUE, "-", "o"),
    Style(ORANGE, _DASHED, "s"),
    Style(GREEN, _LONG, "^"),
    Style(PURPLE, _DASHDOT, "v"),
    Style(ROSE, _DASHED, "D"),
    Style(OLIVE, _DOTTED, "P"),
    Style(INDIGO, _DASHDOT, "X"),
    Style(SKY, "-", "h"),
    Style(WINE, _DOTTED, "p"),
    Style(GREY, _DASHED, "d"),
)
