"""What is measured of a fit: pure functions of a fit and a task, or of plain arrays.

Names load on first use: `exponents` and `thresholds`, which judge stored rows, need no JAX.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from featlearn.measures.activation_signs import changed_signs, changed_signs_of_layers
    from featlearn.measures.alignment import (
        Drift,
        kernel_alignment,
        kernel_change,
        kernel_drift,
    )
    from featlearn.measures.components import DegreeParts, degree_parts, projection
    from featlearn.measures.estimates import Estimate
    from featlearn.measures.exponents import Slope, exponent
    from featlearn.measures.feature_errors import FeatureError, feature_error
    from featlearn.measures.forms import contamination, foreign_energy
    from featlearn.measures.linearisation import (
        linearisation_gap,
        linearised,
        movement,
        parameter_gap,
    )
    from featlearn.measures.order import first_below, in_order
    from featlearn.measures.risks import excess, relative_risk, risk
    from featlearn.measures.spans import span_error
    from featlearn.measures.statistical_dimension import nuclear_dimension
    from featlearn.measures.subspaces import (
        energy_outside,
        overlap,
        principal_angles,
        principal_cosines,
        random_level,
        random_overlap,
        subspace_distance,
        subspace_energy,
    )
    from featlearn.measures.thresholds import (
        Crossing,
        difference_interval,
        median_interval,
        ratio_interval,
        threshold_crossing,
    )

_HOMES = {
    "activation_signs": ("changed_signs", "changed_signs_of_layers"),
    "alignment": ("Drift", "kernel_alignment", "kernel_change", "kernel_drift"),
    "components": ("DegreeParts", "degree_parts", "projection"),
    "forms": ("contamination", "foreign_energy"),
    "estimates": ("Estimate",),
    "exponents": ("Slope", "exponent"),
    "feature_errors": ("FeatureError", "feature_error"),
    "order": ("first_below", "in_order"),
    "risks": ("excess", "relative_risk", "risk"),
    "spans": ("span_error",),
    "linearisation": ("linearisation_gap", "linearised", "movement", "parameter_gap"),
    "statistical_dimension": ("nuclear_dimension",),
    "subspaces": (
        "energy_outside",
        "overlap",
        "principal_angles",
        "principal_cosines",
        "random_level",
        "random_overlap",
        "subspace_distance",
        "subspace_energy",
    ),
    "thresholds": (
        "Crossing",
        "difference_interval",
        "median_interval",
        "ratio_interval",
        "threshold_crossing",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Crossing",
    "DegreeParts",
    "Drift",
    "Estimate",
    "FeatureError",
    "Slope",
    "changed_signs",
    "changed_signs_of_layers",
    "contamination",
    "degree_parts",
    "difference_interval",
    "energy_outside",
    "excess",
    "exponent",
    "feature_error",
    "first_below",
    "foreign_energy",
    "in_order",
    "kernel_alignment",
    "kernel_change",
    "kernel_drift",
    "linearisation_gap",
    "linearised",
    "median_interval",
    "movement",
    "nuclear_dimension",
    "overlap",
    "parameter_gap",
    "principal_angles",
    "principal_cosines",
    "projection",
    "random_level",
    "random_overlap",
    "ratio_interval",
    "relative_risk",
    "risk",
    "span_error",
    "subspace_distance",
    "subspace_energy",
    "threshold_crossing",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'featlearn.measures' has no attribute {name!r}")
    return getattr(import_module(f"featlearn.measures.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
