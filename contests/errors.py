"""The one error that a service raises when it refuses: its text is shown to the person who asked."""


class ContestError(Exception):
    """What is wrong, which object it is about, and what was expected; nothing was stored."""
