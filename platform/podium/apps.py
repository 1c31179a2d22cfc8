"""The site itself as an application: it has checks of its installation, and neither models nor tables."""

from django.apps import AppConfig
from django.core.checks import Tags, register


class PodiumConfig(AppConfig):
    """Registers the checks that `manage.py check --deploy` runs."""

    name = "podium"

    def ready(self) -> None:
        from podium import checks

        register(checks.check_folders, Tags.files, deploy=True)
        register(checks.check_hosts, Tags.security, deploy=True)
        register(checks.check_hsts, Tags.security, deploy=True)
        register(checks.check_servers, Tags.caches, deploy=True)
        # Not tagged as one of the database: those run only when a database is named on the command line.
        register(checks.check_database, "servers", deploy=True)
