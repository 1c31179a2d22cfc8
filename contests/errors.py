"""Errors that services raise to refuse a request; their messages are shown to the user."""


class ContestError(Exception):
    """A refusal, which says what is wrong with which object, and what to do; nothing was stored."""


class ChangedMeanwhile(ContestError):
    """Someone else has changed the object since the organizer saw it."""
