"""Handles and aliases share one key space, which the database enforces, even with concurrent writers."""

from __future__ import annotations

from functools import partial

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction

from contests.errors import ContestError
from contests.formats import ParsedStanding
from contests.models import AuditEntry, Player, PlayerAlias, PlayerKey
from contests.services.renaming import add_alias, rename_player
from contests.services.standings import PlayerRegister, player_with_handle
from contests.services.transactions import retried
from tests.earlier import earlier
from tests.factories import make_player
from tests.processes import at_once

TABLES = ("contests_player", "contests_playeralias")


def keys():
    return set(PlayerKey.objects.values_list("key", flat=True))


def row(handle):
    return ParsedStanding(1, handle, None, "ranked", "", "", "", None, 1)


@pytest.mark.django_db
def test_the_database_takes_no_key_twice_whatever_writes_it():
    ann, bob = make_player("ann"), make_player("bob")
    PlayerAlias.objects.create(player=ann, handle="Annie", handle_key="annie")
    assert keys() == {"ann", "bob", "annie"}
    refused = [
        lambda: Player.objects.create(community_id="main", handle="ANNIE", handle_key="annie"),
        lambda: Player.objects.bulk_create(
            [Player(community_id="main", handle="Annie", handle_key="annie")], ignore_conflicts=True
        ),
        lambda: PlayerAlias.objects.create(player=ann, handle="Bob", handle_key="bob"),
        lambda: Player.objects.filter(pk=bob.pk).update(handle_key="annie"),
        lambda: PlayerAlias.objects.filter(player=ann).update(handle_key="bob"),
    ]
    for write in refused:
        with pytest.raises(IntegrityError), transaction.atomic():
            write()
    assert keys() == {"ann", "bob", "annie"}


@pytest.mark.django_db
def test_a_key_is_free_again_when_its_owner_has_another_one_or_is_gone():
    ann, bob = make_player("ann"), make_player("bob")
    add_alias(ann.pk, handle="annie")
    rename_player(ann.pk, handle="anna")
    assert keys() == {"ann", "anna", "annie", "bob"}
    rename_player(ann.pk, handle="annie")
    assert keys() == {"ann", "anna", "annie", "bob"}
    Player.objects.filter(pk=ann.pk).delete()
    assert keys() == {"bob"}
    assert rename_player(bob.pk, handle="Anna").handle_key == "anna"


@pytest.mark.django_db(transaction=True)
def test_only_one_of_a_new_player_and_a_concurrent_alias_gets_the_name():
    ann = make_player("ann")

    @retried
    @transaction.atomic
    def import_result(handle):
        return PlayerRegister("main").find_or_create([row(handle)])[handle]

    for number in range(25):
        handle = f"newcomer{number}"
        imported, alias = at_once(partial(import_result, handle), partial(retried(add_alias), ann.pk, handle=handle))
        is_alias = PlayerAlias.objects.filter(handle_key=handle).exists()
        assert is_alias != Player.objects.filter(handle_key=handle).exists(), (imported, alias)
        found = player_with_handle("main", handle)
        assert imported == found.pk, "results go to the player who has the name"
        if is_alias:
            assert found == ann
        else:
            assert isinstance(alias, ContestError)
            assert handle in str(alias)


@pytest.mark.django_db(transaction=True)
def test_only_one_of_two_concurrent_players_gets_a_name():
    for number in range(10):
        handle = f"wanted{number}"
        one, other = make_player(f"one{number}"), make_player(f"other{number}")
        results = at_once(
            partial(retried(rename_player), one.pk, handle=handle), partial(retried(add_alias), other.pk, handle=handle)
        )
        refused = [result for result in results if isinstance(result, ContestError)]
        assert len(refused) == 1, results
        assert handle in str(refused[0])
        rename_player(one.pk, handle=f"later{number}")


@pytest.mark.django_db
def test_the_triggers_are_on_both_tables():
    """Django recreates tables on SQLite, and drops their triggers: a migration that does so must create them again."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        else:
            cursor.execute("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")
        found = {name for (name,) in cursor.fetchall()}
    assert {f"{table}_key_{what}" for table in TABLES for what in ("added", "changed", "gone")} <= found


@pytest.mark.django_db(transaction=True)
def test_an_update_keeps_the_handle_where_an_alias_was_the_same_and_indexes_everyone():
    try:
        old = earlier("contests", "0003_announced_contests")
        player_model, alias_model = old.get_model("contests", "Player"), old.get_model("contests", "PlayerAlias")
        ann = player_model.objects.create(handle="ann", handle_key="ann")
        player_model.objects.create(handle="annie", handle_key="annie")
        for handle in ("Annie", "Anna"):
            alias_model.objects.create(player=ann, handle=handle, handle_key=handle.lower())
    finally:
        call_command("migrate", verbosity=0)
    assert keys() == {"ann", "annie", "anna"}
    assert [alias.handle for alias in PlayerAlias.objects.all()] == ["Anna"]
    entry = AuditEntry.objects.get(action="player.unalias")
    assert (entry.player.handle, entry.before) == ("ann", {"alias": "Annie"})
    assert set(Player.objects.get(handle="ann").words.values_list("word", flat=True)) == {"ann", "anna"}
