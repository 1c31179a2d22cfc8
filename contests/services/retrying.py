"""Two transactions that wait for each other: the database ends one of them, and that one begins again."""

from __future__ import annotations

import logging
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from django.db import OperationalError, connection

if TYPE_CHECKING:
    from collections.abc import Callable

    Parameters = ParamSpec("Parameters")
    Result = TypeVar("Result")

logger = logging.getLogger(__name__)

_ATTEMPTS = 5
#: PostgreSQL's codes for a deadlock and for a transaction that cannot be put in order with the others.
_LOST_A_RACE = ("40P01", "40001")


def lost_a_race(error: OperationalError) -> bool:
    """Whether the transaction was sound, and only met another one: doing it again may well succeed."""
    return getattr(error.__cause__, "sqlstate", None) in _LOST_A_RACE or "database is locked" in str(error)


def retried(service: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """
    Do the whole service again when its transaction lost a race; the decorator above `transaction.atomic`.

    Inside another transaction nothing can be done again here: whoever began that one has to.
    """

    @wraps(service)
    def again(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        for attempt in range(1, _ATTEMPTS):
            try:
                return service(*args, **kwargs)
            except OperationalError as error:
                if connection.in_atomic_block or not lost_a_race(error):
                    raise
                logger.info("%s met another transaction, attempt %d: %s", service.__name__, attempt, error)
        return service(*args, **kwargs)

    return again
