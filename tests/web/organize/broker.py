"""A stand-in for the broker of Celery."""

from __future__ import annotations

from typing import Any


class Broker:
    """
    A stand-in for `current_app` in a module that starts one task; it remembers the messages and starts nothing.

    task
        Name of the task.
    sent
        Arguments of the task, one tuple for each message.
    is_away
        Whether the broker is unavailable.
    """

    def __init__(self, task: str) -> None:
        self.task = task
        self.sent: list[tuple[Any, ...]] = []
        self.is_away = False

    def send_task(self, name: str, args: tuple[Any, ...], **_options: object) -> None:
        """Remember a message; ConnectionError if the broker is unavailable."""
        assert name == self.task
        if self.is_away:
            raise ConnectionError("no broker")
        self.sent.append(args)
