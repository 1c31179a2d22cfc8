"""The migration that gives accounts of players a table of their own."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import IntegrityError

from contests.models import Player, PlayerAlias, PlayerClaim
from tests.earlier import earlier
from tests.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)


def test_accounts_of_players_stay_and_names_are_still_unique():
    anna = make_user("anna")
    try:
        old = earlier("contests", "0022_known_words")
        club = old.get_model("contests", "Community").objects.create(slug="club", name="Club")
        old.get_model("contests", "Player").objects.create(
            community=club, handle="ann", handle_key="ann", user_id=anna.pk
        )
    finally:
        call_command("migrate", verbosity=0)
    assert list(PlayerClaim.objects.values_list("community", "player__handle", "user")) == [("club", "ann", anna.pk)]
    bo = Player.objects.create(community_id="club", handle="bo", handle_key="bo")
    with pytest.raises(IntegrityError):
        PlayerAlias.objects.create(handle="ann", handle_key="ann", player=bo)
    with pytest.raises(IntegrityError):
        Player.objects.create(community_id="club", handle="Ann", handle_key="ann")
