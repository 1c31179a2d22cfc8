"""Django's makemessages, which also finds how rating systems describe their parameters: they know nothing of Django."""

from django.core.management.commands import makemessages

KEYWORDS = ["--keyword=number:2", "--keyword=flag:2", "--keyword=choice:2"]


class Command(makemessages.Command):
    xgettext_options = [*makemessages.Command.xgettext_options, *KEYWORDS]
