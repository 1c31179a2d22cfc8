from django.apps import AppConfig


class RatingsConfig(AppConfig):
    """The application that turns standings into ratings."""

    name = "ratings"

    def ready(self) -> None:
        # Importing a module registers its receivers, or its changes.
        from contests import providers
        from ratings import receivers  # noqa: F401
        from ratings.publishing import scheme_changes, undoing  # noqa: F401
        from ratings.publishing.projection import ineligible_players
        from ratings.publishing.schemes import duration_counts

        providers.register_ineligible_players(ineligible_players)
        providers.register_duration_counts(duration_counts)
