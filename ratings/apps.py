from django.apps import AppConfig


class RatingsConfig(AppConfig):
    """How standings become ratings."""

    name = "ratings"

    def ready(self) -> None:
        # The receivers of what contests announces and asks; the changes that are of ratings; names of deleted accounts.
        from contests import providers
        from ratings import deleted_accounts, receivers  # noqa: F401
        from ratings.publishing import changes  # noqa: F401
        from ratings.publishing.eligibility import ineligible_players

        providers.register_ineligible_players(ineligible_players)
