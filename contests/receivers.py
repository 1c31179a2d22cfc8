"""What keeps the index of names true: it follows every change of a handle, name or alias."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.db.models.signals import post_delete, post_migrate, post_save
from django.dispatch import receiver

from contests.matching.name_index import index_if_empty, index_players
from contests.models import Player, PlayerAlias
from contests.signals import names_changed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.apps.registry import Apps


@receiver(names_changed)
def _index(player_ids: Iterable[int], **_others: Any) -> None:
    index_players(player_ids)


@receiver(post_save, sender=Player)
def _index_saved(instance: Player, raw: bool, update_fields: frozenset[str] | None, **_others: Any) -> None:
    if not raw and (update_fields is None or {"handle", "name"} & update_fields):
        index_players([instance.pk])


@receiver([post_save, post_delete], sender=PlayerAlias)
def _index_of_alias(instance: PlayerAlias, **others: Any) -> None:
    if not others.get("raw"):
        index_players([instance.player_id])


@receiver(post_migrate, sender=apps.get_app_config("contests"))
def _index_after_update(apps: Apps | None = None, **_others: Any) -> None:
    # Without apps a database was emptied; after a migration to an earlier state there is no index to write.
    if apps is not None and any(model._meta.model_name == "playerword" for model in apps.get_models()):
        index_if_empty()
