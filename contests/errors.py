"""The errors that services raise when they refuse: their text is shown to the person who asked."""


class ContestError(Exception):
    """What is wrong, which object it is about, and what was expected; nothing was stored."""


class ChangedMeanwhile(ContestError):
    """Somebody else has changed the object since its organizer looked at it."""
