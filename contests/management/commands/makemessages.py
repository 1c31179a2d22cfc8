"""Collect translatable texts, including parameter descriptions of rating systems, which do not import Django."""

from django.core.management.commands import makemessages

KEYWORDS = [
    "--keyword=number:2",
    "--keyword=rating_points:2",
    "--keyword=flag:2",
    "--keyword=choice:2",
    "--keyword=part:2",
    "--keyword=part:3",
]


class Command(makemessages.Command):
    xgettext_options = [*makemessages.Command.xgettext_options, *KEYWORDS]
