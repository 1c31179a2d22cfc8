from django.apps import AppConfig
from django.urls import register_converter


class WebConfig(AppConfig):
    """Pages for people: what visitors see, and what organizers do."""

    name = "web"

    def ready(self) -> None:
        from contests import providers
        from web.organize.uploads.effects import projected_effects
        from web.shared.params import HandleConverter

        register_converter(HandleConverter, "handle")
        providers.register_projected_effects(projected_effects)
