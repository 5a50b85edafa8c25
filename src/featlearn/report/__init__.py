"""Figures and pages, from the rows of the store alone."""

from featlearn.report import figures
from featlearn.report._entry import Entry
from featlearn.report._page import write_page

__all__ = ["Entry", "figures", "write_page"]
