"""Receivers that update the indexes of names, and withdraw invitations whose author loses the right to invite."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.db.models.signals import m2m_changed, post_delete, post_migrate, post_save, pre_delete
from django.dispatch import receiver

from contests.matching import known_words, titles
from contests.matching.name_index import index_if_empty, index_players
from contests.models import Community, Contest, Membership, Player, PlayerAlias, Series
from contests.models.player import names_changed
from contests.queries.communities import outdated_keys
from contests.services.organizers import withdraw_invitations_of, withdraw_void_invitations

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.apps.registry import Apps
    from django.contrib.auth.models import User


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


@receiver(post_save, sender=Contest)
@receiver(post_save, sender=Series)
@receiver(post_save, sender=Community)
def _index_title(
    instance: Contest | Series | Community, created: bool, raw: bool, update_fields: frozenset[str] | None, **_: Any
) -> None:
    if not raw and (created or update_fields is None or "name" in update_fields):
        titles.index_title(instance, is_new=created)


@receiver([post_save, post_delete], sender=Community)
def _forget_names(instance: Community, **_others: Any) -> None:
    cache.delete_many(outdated_keys(instance.pk))


@receiver(post_migrate, sender=apps.get_app_config("contests"))
def _index_after_update(apps: Apps | None = None, **_others: Any) -> None:
    # `flush` passes no apps, and after a migration to an earlier state there may be no index.
    if apps is not None and any(model._meta.model_name == "playerword" for model in apps.get_models()):
        index_if_empty()
    if apps is not None and any(model._meta.model_name == "knownword" for model in apps.get_models()):
        known_words.prepare()
    if apps is not None and any(model._meta.model_name == "titleword" for model in apps.get_models()):
        titles.index_if_empty()


@receiver(pre_delete, sender=settings.AUTH_USER_MODEL)
def withdraw_invitations(sender: object, instance: User, **kwargs: Any) -> None:
    """Withdraw the open invitations of a deleted account, which would otherwise look like invitations by a command."""
    withdraw_invitations_of(instance.pk)


@receiver(post_save, sender=settings.AUTH_USER_MODEL)
def _rights_of_account(
    instance: User, created: bool, raw: bool, update_fields: frozenset[str] | None, **_others: Any
) -> None:
    is_relevant = update_fields is None or {"is_active", "is_staff"} & update_fields
    if is_relevant and not (created or raw) and not (instance.is_active and instance.is_staff):
        withdraw_void_invitations([instance.pk])


@receiver(m2m_changed, sender=Series.organizers.through)
def _rights_in_series(
    instance: Series | User, action: str, reverse: bool, pk_set: set[int] | None, **_others: Any
) -> None:
    if action in ("post_remove", "post_clear"):
        withdraw_void_invitations([instance.pk] if reverse else pk_set)


@receiver([post_save, post_delete], sender=Membership)
def _rights_in_community(instance: Membership, **others: Any) -> None:
    if not others.get("raw") and not others.get("created"):
        # After the commit: an account or a community may be deleted right now, and entries refer to both.
        transaction.on_commit(partial(withdraw_void_invitations, [instance.user_id]), robust=True)
