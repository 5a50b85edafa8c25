"""Figure primitives in the house style: pure functions of fixed data, drawn on given axes."""

from featlearn.report.figures._curves import curve_panel
from featlearn.report.figures._forest import forest_panel
from featlearn.report.figures._heat import heat_panel
from featlearn.report.figures._house import mark_scale, new_figure, panel_title
from featlearn.report.figures._palette import Style, learner_style
from featlearn.report.figures._shares import share_panel
from featlearn.report.figures._slopes import slope_panel

__all__ = [
    "Style",
    "curve_panel",
    "forest_panel",
    "heat_panel",
    "learner_style",
    "mark_scale",
    "new_figure",
    "panel_title",
    "share_panel",
    "slope_panel",
]
