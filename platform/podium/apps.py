"""The site itself as an application: it has system checks, but no models."""

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
        # Not tagged as a database check: those run only if the command line names a database.
        register(checks.check_database, "servers", deploy=True)
        register(checks.check_search, "servers", deploy=True)
