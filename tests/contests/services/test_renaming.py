"""Names of players: the handle, other names, and descriptions."""

from __future__ import annotations

import pytest

from contests.errors import ChangedMeanwhile, ContestError
from contests.models import AuditEntry, Player, PlayerAlias
from contests.services.renaming import (
    PlayerDescription,
    add_alias,
    describe_player,
    remove_alias,
    rename_player,
    state_of,
)
from tests.factories import make_player, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return make_player("ann", name="Ann Lee", country="DE")


def aliases_of(player):
    return sorted(player.aliases.values_list("handle", flat=True))


def test_the_old_handle_becomes_another_name_and_the_change_is_recorded(ann):
    ida = make_user("ida")
    player = rename_player(ann.pk, handle="  Anna-Lena ", reason="married", actor=ida)
    assert (player.handle, player.handle_key) == ("Anna-Lena", "anna-lena")
    assert aliases_of(ann) == ["ann"]
    entry = AuditEntry.objects.get(action="player.rename")
    assert (entry.player, entry.actor, entry.reason) == (ann, ida, "married")
    assert (entry.before, entry.after) == ({"handle": "ann"}, {"handle": "Anna-Lena"})


def test_another_case_is_the_same_name_and_needs_no_alias(ann):
    assert rename_player(ann.pk, handle="ANN").handle == "ANN"
    assert aliases_of(ann) == []


def test_a_player_can_take_back_an_old_name(ann):
    rename_player(ann.pk, handle="lena")
    rename_player(ann.pk, handle="Ann")
    ann.refresh_from_db()
    assert ann.handle == "Ann"
    assert aliases_of(ann) == ["lena"]


def test_the_same_handle_twice_changes_nothing(ann):
    rename_player(ann.pk, handle="lena", state=state_of(ann))
    rename_player(ann.pk, handle="lena", state=state_of(ann))
    assert AuditEntry.objects.filter(action="player.rename").count() == 1


@pytest.mark.parametrize("handle", ["Bob", "robert", "roberto"])
def test_a_name_of_another_player_is_refused_with_a_remedy(ann, handle):
    bob = make_player("bob")
    add_alias(bob.pk, handle="robert")
    make_player("roberto", merged_into=bob)
    with pytest.raises(ContestError, match="merge them"):
        rename_player(ann.pk, handle=handle)
    with pytest.raises(ContestError, match="merge them"):
        add_alias(ann.pk, handle=handle)
    ann.refresh_from_db()
    assert ann.handle == "ann"
    assert aliases_of(ann) == []


@pytest.mark.parametrize("handle", ["", "   ", "\u200b", "x" * 129, "a\x00b", "\ud800"])
def test_unreadable_texts_are_not_valid_handles(ann, handle):
    for change in (rename_player, add_alias):
        with pytest.raises(ContestError, match="is not a valid handle"):
            change(ann.pk, handle=handle)


def test_the_second_of_two_organizers_learns_who_made_the_first_change(ann):
    seen = state_of(ann)
    rename_player(ann.pk, handle="lena", state=seen, actor=make_user("eve"))
    with pytest.raises(ChangedMeanwhile, match="“lena” was changed by eve at"):
        rename_player(ann.pk, handle="anna", state=seen)
    with pytest.raises(ChangedMeanwhile, match="changed by eve"):
        describe_player(ann.pk, description=PlayerDescription(name="Anna"), state=seen)


def test_a_merged_player_cannot_be_changed(ann):
    bob = make_player("bob", merged_into=ann)
    for change in (rename_player, add_alias):
        with pytest.raises(ContestError, match="“bob” has been merged into “ann”"):
            change(bob.pk, handle="robert")


def test_the_description_of_a_player_is_changed_field_by_field(ann):
    said = PlayerDescription(name="  Ann   Lee ", country="fr", affiliation="Harbour Club")
    player = describe_player(ann.pk, description=said)
    assert (player.name, player.country, player.affiliation) == ("Ann Lee", "FR", "Harbour Club")
    entry = AuditEntry.objects.get(action="player.describe")
    assert entry.before == {"country": "DE", "affiliation": ""}
    assert entry.after == {"country": "FR", "affiliation": "Harbour Club"}
    describe_player(ann.pk, description=said)
    assert AuditEntry.objects.count() == 1


def test_an_unknown_country_is_refused(ann):
    with pytest.raises(ContestError, match="“Atlantis” is not a valid country"):
        describe_player(ann.pk, description=PlayerDescription(country="Atlantis"))


def test_adding_or_removing_another_name_twice_does_it_once(ann):
    for _ in range(2):
        add_alias(ann.pk, handle="Annie")
    assert aliases_of(ann) == ["Annie"]
    with pytest.raises(ContestError, match="already the player’s handle"):
        add_alias(ann.pk, handle="ANN")
    for _ in range(2):
        remove_alias(ann.pk, handle="ANNIE")
    assert aliases_of(ann) == []
    assert list(AuditEntry.objects.order_by("id").values_list("action", flat=True)) == [
        "player.alias",
        "player.unalias",
    ]


def test_the_name_of_another_player_is_not_removed(ann):
    bob = make_player("bob")
    add_alias(bob.pk, handle="robert")
    remove_alias(ann.pk, handle="robert")
    assert PlayerAlias.objects.get().player == bob


def test_a_deleted_player_is_reported(ann):
    Player.objects.all().delete()
    with pytest.raises(ContestError, match="no longer exists"):
        rename_player(ann.pk, handle="lena")


def test_several_spaces_are_one(ann):
    make_player("Bob Fox")
    for handle in ("Bob  Fox", "Bob\u00a0Fox"):
        with pytest.raises(ContestError, match="Bob Fox"):
            rename_player(ann.pk, handle=handle)
    assert rename_player(ann.pk, handle="Ann  Lee").handle == "Ann Lee"
    assert add_alias(ann.pk, handle="A.  Lee").handle == "A. Lee"
