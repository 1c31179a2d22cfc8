"""The migration that puts everything into the first community, on rows of the version before."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction

from contests.formats.base import ParsedStanding
from contests.matching.name_index import index_if_empty, index_players, salt_of
from contests.matching.players import match_players
from contests.models import (
    AuditEntry,
    Community,
    Membership,
    Player,
    PlayerAlias,
    PlayerKey,
    PlayerNearKey,
    PlayerWord,
    Series,
)
from tests.earlier import earlier
from tests.factories import make_contest, make_player, make_series, make_user

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE = ("contests", "0010_audit_chain")


def test_everything_goes_into_one_community_owned_by_the_superusers():
    make_user("root", is_superuser=True)
    make_user("ida")
    AuditEntry.objects.all().delete()  # entries about root's rights
    try:
        old = earlier(*BEFORE)
        for name, is_public in (("open", True), ("secret", False)):
            series = old.get_model("contests", "Series").objects.create(slug=name, name=name, is_public=is_public)
            old.get_model("contests", "AuditEntry").objects.create(action="series.create", subject=name, series=series)
        players = old.get_model("contests", "Player").objects
        ann = players.create(handle="Ann", handle_key="ann")
        players.create(handle="Annie", handle_key="annie", merged_into=ann)
        old.get_model("contests", "PlayerAlias").objects.create(handle="Nan", handle_key="nan", player=ann)
    finally:
        call_command("migrate", verbosity=0)
    assert list(Community.objects.values_list("slug", "visibility")) == [("main", "public")]
    assert list(Membership.objects.values_list("user__username", "role")) == [("root", "owner")]
    assert set(Series.objects.values_list("community", "slug", "is_private", "is_public", "is_listed")) == {
        ("main", "open", False, True, True), ("main", "secret", True, False, False),
    }  # fmt: skip
    assert {*Player.objects.values_list("community", flat=True), PlayerAlias.objects.get().community_id} == {"main"}
    assert set(PlayerKey.objects.values_list("community", "key")) == {("main", key) for key in ("ann", "annie", "nan")}
    assert set(AuditEntry.objects.values_list("community", flat=True)) == {"main"}
    with pytest.raises(IntegrityError), transaction.atomic():
        Player.objects.create(community_id="main", handle="NAN", handle_key="nan")
    Community.objects.create(slug="other", name="Other")
    Player.objects.create(community_id="other", handle="NAN", handle_key="nan")


def test_an_empty_site_gets_no_community():
    try:
        earlier(*BEFORE)
    finally:
        call_command("migrate", verbosity=0)
    assert not Community.objects.exists()


def test_similar_names_are_found_by_the_keys_that_were_there():
    """Keys of the index are changed in place, and at the end the index is rebuilt without outdated rows."""
    series = make_series("cup")
    make_contest(series, standings=[("alexander_k", 1), ("marie", 2)])
    index_players([make_player("alexander_k").pk])
    made = set(PlayerNearKey.objects.values_list("player", "key"))
    try:
        earlier(*BEFORE)
        assert set(PlayerNearKey.objects.values_list("player", "key")) == {
            (player, key ^ salt_of("main")) for player, key in made
        }
        PlayerWord.objects.create(player_id=min(made)[0], word="outdated")
    finally:
        call_command("migrate", verbosity=0)
    assert set(PlayerNearKey.objects.values_list("player", "key")) == made
    assert not PlayerWord.objects.filter(word="outdated").exists()
    row = ParsedStanding(1, "alexanderk", None, "ranked", "", "", "", None, 1)
    assert match_players([row], series_id=series.pk)[0].suggestions[0].handle == "alexander_k"


def test_an_update_adds_the_keys_of_misspelt_names():
    series = make_series("cup")
    make_contest(series, standings=[("tourist", 1), ("petr", 2)])
    try:
        earlier("contests", "0030_times")
        tourist = make_player("tourist")
        Player.objects.filter(pk=tourist.pk).update(name="Gennady Korotkevich")
        PlayerNearKey.objects.filter(player=tourist).delete()
        PlayerNearKey.objects.create(player=tourist, key=1)
    finally:
        call_command("migrate", verbosity=0)
    row = ParsedStanding(1, "Gennady Korotkevch", None, "ranked", "", "", "", None, 1)
    assert match_players([row], series_id=series.pk)[0].suggestions[0].handle == "tourist"
    assert not PlayerNearKey.objects.filter(player=tourist, key=1).exists()


def test_an_update_indexes_everyone_though_the_old_version_indexed_a_newcomer(monkeypatch):
    monkeypatch.setattr("contests.matching.name_index.OLDEST", 1)
    tourist, newcomer = make_player("tourist"), make_player("newcomer")
    made = set(PlayerNearKey.objects.values_list("player", "key"))
    assert {player for player, _ in made} == {tourist.pk, newcomer.pk}
    PlayerNearKey.objects.filter(player=tourist).delete()
    index_if_empty()
    assert set(PlayerNearKey.objects.values_list("player", "key")) == made
