"""Teachers: each declares what is known of it in closed form."""

from featlearn.targets._base import Facts, Target

__all__ = ["Facts", "Target"]
