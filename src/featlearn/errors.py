"""What a user may get wrong, said in one sentence with the remedy."""


class FeatlearnError(Exception):
    """Base of every error that is meant for a user: what was got, and what to do."""


class InvalidInputError(FeatlearnError, ValueError):
    """An argument, an array or a parameter that cannot be worked with."""


class NotFoundError(FeatlearnError, LookupError):
    """A study, tier or parameter of that name does not exist."""


class StoreError(FeatlearnError):
    """A store file that is not one, is from a newer version, or cannot be written."""
