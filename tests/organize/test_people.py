"""The pages about people: the list, one person, renaming, merging and splitting; and where old addresses lead."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from contests.models import AuditEntry, Player, PlayerMerge
from contests.services.merging import merge_players, split_players
from contests.services.renaming import add_alias, rename_player
from tests.factories import make_contest, make_player, make_series, make_user, rate

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(series):
    """Two contests; "alexanderk" is "alexander_k" in the second."""
    make_contest(series, standings=[("alexanderk", 1), ("bob", 2)], name="First")
    make_contest(series, standings=[("bob", 1), ("alexander_k", 2)], name="Second")
    rate(series)
    return {player.handle: player for player in Player.objects.all()}


def at(name, *args, **query):
    return reverse(f"organize:{name}", args=args, query=query)


def text_of(answer):
    return answer.content.decode()


def merge(people, reason="one person"):
    return merge_players(people["alexanderk"].pk, people["alexander_k"].pk, reason=reason)


# The list


def test_the_list_has_everybody_with_results_names_and_counts(organizer, series, people):
    make_contest(series, standings=[("zoe", 1)], finalized=False)
    make_contest(make_series("elsewhere"), standings=[("stranger", 1), ("bob", 2)])
    add_alias(people["bob"].pk, handle="Robert")
    answer = organizer.get(at("people", series.slug))
    assert [(player.handle, count) for player, count in answer.context["rows"]] == [
        ("alexander_k", 1), ("alexanderk", 1), ("bob", 2), ("zoe", 1)
    ]  # fmt: skip
    assert "Robert" in text_of(answer)


@pytest.mark.parametrize("asked", ["BOB", "robert", "Fisher", "bobby"])
def test_people_are_found_by_every_name_they_have(organizer, series, people, asked):
    bob = people["bob"]
    Player.objects.filter(pk=bob.pk).update(name="Bob Fisher")
    add_alias(bob.pk, handle="Robert")
    make_player("bobby", merged_into=bob)
    answer = organizer.get(at("people", series.slug, q=asked))
    assert [player.handle for player, _ in answer.context["rows"]] == ["bob"]
    nobody = organizer.get(at("people", series.slug, q="\x00nobody"))
    assert nobody.status_code == 200
    assert "Show all players" in text_of(nobody)


def test_possible_duplicates_are_pairs_with_close_names_that_never_met(organizer, series, people):
    make_contest(series, standings=[("konstantin", 1), ("konstantyn", 2), ("alexanderk", 3)])
    pairs = organizer.get(at("people", series.slug)).context["duplicates"].pairs
    assert [(pair.first.handle, pair.first_count, pair.second.handle) for pair in pairs] == [
        ("alexanderk", 2, "alexander_k")
    ]
    merge(people)
    assert organizer.get(at("people", series.slug)).context["duplicates"].pairs == []


def test_a_large_series_is_searched_for_duplicates_on_demand(organizer, series, people, monkeypatch):
    monkeypatch.setattr("contests.views.organize_people.SEARCHED_AT_ONCE", 2)
    answer = organizer.get(at("people", series.slug))
    assert answer.context["duplicates"] is None
    assert "Look for players with close names" in text_of(answer)
    assert len(organizer.get(at("people", series.slug, duplicates=1)).context["duplicates"].pairs) == 1


# One person


def test_the_page_of_a_person_shows_names_results_merges_and_history(organizer, people, ida):
    add_alias(people["alexanderk"].pk, handle="sasha", actor=ida)
    merge(people, reason="the same e-mail address")
    text = text_of(organizer.get(at("person", people["alexanderk"].pk)))
    for said in ("sasha", "First", "Second", "Merged into this player", "the same e-mail address", "Split"):
        assert said in text


def test_a_merged_person_leads_to_whom_it_became(organizer, people):
    merge(people)
    for name in ("person", "person-merge"):
        answer = organizer.get(at(name, people["alexander_k"].pk))
        assert answer["Location"] == at("person", people["alexanderk"].pk)


def test_other_names_are_added_and_removed(organizer, people):
    bob = people["bob"]
    organizer.post(at("person-name", bob.pk), {"handle": "Robert", "reason": "his passport"})
    assert list(bob.aliases.values_list("handle", flat=True)) == ["Robert"]
    refused = organizer.post(at("person-name", bob.pk), {"handle": "alexanderk"}, follow=True)
    assert "merge them" in text_of(refused)
    assert "field is required" in text_of(organizer.post(at("person-name", bob.pk), {"handle": ""}, follow=True))
    organizer.post(at("person-name-remove", bob.pk), {"handle": "Robert"})
    assert not bob.aliases.exists()


def test_what_is_said_of_a_person_is_edited(organizer, people, ida):
    bob = people["bob"]
    page = organizer.get(at("person-edit", bob.pk))
    said = {"name": "Bob Fisher", "country": "Germany", "state": page.context["form"]["state"].value()}
    assert organizer.post(at("person-edit", bob.pk), said)["Location"] == at("person", bob.pk)
    bob.refresh_from_db()
    assert (bob.name, bob.country) == ("Bob Fisher", "DE")
    wrong = organizer.post(at("person-edit", bob.pk), {"country": "Atlantis"})
    assert wrong.status_code == 422
    late = organizer.post(at("person-edit", bob.pk), {**said, "name": "Robert Fisher"})
    assert late.status_code == 422
    assert "was changed by ida" in text_of(late)
    bob.refresh_from_db()
    assert bob.name == "Bob Fisher"


# Renaming


def test_renaming_is_proposed_then_made(organizer, people):
    bob = people["bob"]
    page = organizer.get(at("person-rename", bob.pk))
    said = {"handle": "Robert", "reason": "asked for it", "state": page.context["form"]["state"].value()}
    proposal = organizer.post(at("person-rename", bob.pk), said)
    assert "still leads to the player" in text_of(organizer.get(proposal["Location"]))
    bob.refresh_from_db()
    assert bob.handle == "bob"
    done = organizer.post(proposal["Location"], follow=True)
    assert done.redirect_chain[-1][0] == at("person", bob.pk)
    bob.refresh_from_db()
    assert bob.handle == "Robert"
    assert AuditEntry.objects.get(action="player.rename").reason == "asked for it"


def test_a_handle_that_is_taken_is_refused_at_its_field_with_the_way_to_merge(organizer, people):
    answer = organizer.post(at("person-rename", people["bob"].pk), {"handle": "AlexanderK"})
    assert answer.status_code == 422
    assert "merge them" in str(answer.context["form"].errors["handle"])
    same = organizer.post(at("person-rename", people["bob"].pk), {"handle": "bob"})
    assert same["Location"] == at("person", people["bob"].pk)


# Merging and splitting


def test_the_other_player_is_chosen_by_handle_or_from_suggestions(organizer, people):
    one = people["alexanderk"].pk
    choose = organizer.get(at("person-merge", one))
    assert [suggestion.handle for suggestion in choose.context["suggestions"]] == ["alexander_k"]
    typo = organizer.get(at("person-merge", one, **{"with": "alexandr_k"}))
    assert typo.status_code == 422
    assert "Nobody is called “alexandr_k”" in text_of(typo)
    assert [suggestion.handle for suggestion in typo.context["suggestions"]] == ["alexander_k"]
    oneself = organizer.get(at("person-merge", one, **{"with": "ALEXANDERK"}))
    assert "this very player" in text_of(oneself)
    side_by_side = organizer.get(at("person-merge", one, **{"with": "alexander_k"}))
    assert side_by_side.status_code == 200
    assert [profile.count for profile in side_by_side.context["profiles"]] == [1, 1]


def test_a_merge_is_proposed_made_and_split_again(organizer, series, people):
    one, other = people["alexanderk"], people["alexander_k"]
    form = at("person-merge", other.pk, **{"with": "alexanderk"})
    assert organizer.post(form, {"kept": one.pk}).status_code == 422
    proposal = organizer.post(form, {"kept": one.pk, "reason": "the same e-mail address"})
    shown = text_of(organizer.get(proposal["Location"]))
    assert "Merge alexander_k into alexanderk" in shown
    assert "1 result of “alexander_k” becomes one of the results of “alexanderk”, 1 in Harbour Cup." in shown
    assert not PlayerMerge.objects.exists()
    organizer.post(proposal["Location"])
    organizer.post(proposal["Location"])
    other.refresh_from_db()
    assert other.merged_into == one
    made = PlayerMerge.objects.get()
    split = organizer.post(at("merge-split", made.pk), {"reason": "two people after all"})
    assert "1 result goes back to “alexander_k”" in text_of(organizer.get(split["Location"]))
    organizer.post(split["Location"])
    other.refresh_from_db()
    assert other.merged_into is None
    again = organizer.get(at("merge-split", made.pk))
    assert again["Location"] == at("person", other.pk)


def test_two_who_stand_in_one_contest_cannot_be_merged_and_all_such_contests_are_named(organizer, series, people):
    for i in range(12):
        make_contest(series, standings=[("bob", 1), ("alexanderk", 2)], name=f"Duel {i}")
    form = at("person-merge", people["bob"].pk, **{"with": "alexanderk"})
    text = text_of(organizer.get(form))
    assert "both stand in 13 contests" in text
    for name in ("First", *(f"Duel {i}" for i in range(12))):
        assert name in text
    assert "See what it does" not in text
    refused = organizer.post(form, {"kept": people["bob"].pk, "reason": "one person"})
    assert refused.status_code == 422
    assert "both stand in 13 contests" in text_of(refused)
    assert not PlayerMerge.objects.exists()


def test_the_second_of_two_organizers_learns_that_the_two_are_merged(organizer, people, ida):
    form = at("person-merge", people["alexanderk"].pk, **{"with": "alexander_k"})
    proposal = organizer.post(form, {"kept": people["alexanderk"].pk, "reason": "one person"})["Location"]
    merge_players(people["alexander_k"].pk, people["alexanderk"].pk, reason="the other way round", actor=ida)
    late = organizer.post(proposal)
    assert late.status_code == 409
    assert "has been merged into “alexander_k” already" in text_of(late)
    assert PlayerMerge.objects.count() == 1


# Rights

PAGES = ("person", "person-edit", "person-rename", "person-merge")
DEEDS = ("person-edit", "person-rename", "person-merge", "person-name", "person-name-remove")


def statuses(client, player, deeds=DEEDS):
    return {client.post(at(name, player.pk), {"handle": "x"}).status_code for name in deeds}


def test_only_who_organizes_all_series_of_a_player_changes_it(organizer, client, people, ida):
    bob, other = people["bob"], make_series("inland-cup", name="Inland Cup")
    make_contest(other, standings=[("bob", 1)], finalized=False)
    page = organizer.get(at("person", bob.pk))
    assert page.status_code == 200
    assert not page.context["may_change"]
    assert "Inland Cup" in text_of(page)
    assert statuses(organizer, bob) == {403}
    other.is_public = False
    other.save()
    assert statuses(organizer, bob) == {404}
    assert "Inland Cup" not in text_of(organizer.get(at("person", bob.pk)))
    other.organizers.add(ida)
    assert 403 not in statuses(organizer, bob)
    assert not {403, 404} & statuses(organizer, bob)


def test_a_player_is_not_merged_with_somebody_elses_player(organizer, people):
    make_contest(make_series("inland-cup", name="Inland Cup"), standings=[("alexander_kk", 1)])
    other = make_player("alexander_kk")
    answer = organizer.get(at("person-merge", people["alexanderk"].pk, **{"with": "alexander_kk"}))
    assert answer.status_code == 422
    assert "“alexander_kk” has results in “Inland Cup” too" in text_of(answer)
    posted = organizer.post(
        at("person-merge", people["alexanderk"].pk, **{"with": "alexander_kk"}),
        {"kept": other.pk, "reason": "mine"},
    )
    assert posted.status_code == 422
    assert not PlayerMerge.objects.exists()


def test_strangers_and_visitors_see_and_change_nothing(client, people, series):
    merged = merge(people)
    addresses = [at(name, people["alexanderk"].pk) for name in PAGES] + [
        at("people", series.slug),
        at("merge-split", merged.pk),
    ]
    for address in addresses:
        assert client.get(address)["Location"].startswith(reverse("login"))
    client.force_login(make_user("eve"))
    assert {client.get(address).status_code for address in addresses} == {403}
    assert statuses(client, people["alexanderk"]) == {403}


def test_who_has_no_results_is_changed_by_staff_alone(organizer, people):
    nobody = make_player("nobody")
    assert organizer.get(at("person", nobody.pk)).status_code == 404
    assert statuses(organizer, nobody) == {404}
    staff = Client()
    staff.force_login(make_user("boss", is_staff=True))
    assert staff.get(at("person", nobody.pk)).status_code == 200
    assert not {403, 404} & statuses(staff, nobody)


@pytest.mark.parametrize("pk", [0, 2**70])
def test_a_player_that_is_not_there_is_a_page_not_found(organizer, pk):
    for name in (*PAGES, "merge-split"):
        assert organizer.get(at(name, pk)).status_code == 404


# Where old addresses lead


@pytest.fixture
def merged(people, series):
    made = merge(people)
    add_alias(people["alexanderk"].pk, handle="sasha")
    rename_player(people["bob"].pk, handle="Robert")
    rate(series)
    return made


@pytest.mark.parametrize(
    ("old", "new"), [("alexander_k", "alexanderk"), ("SASHA", "alexanderk"), ("bob", "Robert"), ("robert", "Robert")]
)
def test_old_addresses_lead_to_the_player_for_people_and_programs(client, merged, old, new):
    answer = client.get(reverse("player", args=[old]), {"series": "harbour-cup"})
    assert answer.status_code == 301
    assert answer["Location"] == reverse("player", args=[new], query={"series": "harbour-cup"})
    assert answer["Cache-Control"] == "no-cache"
    if old != "robert":  # programs get an answer in whatever case they ask
        for name in ("api:player", "api:history"):
            answer = client.get(reverse(name, args=[old]))
            assert answer.status_code == 308
            assert answer["Location"] == reverse(name, args=[new])


def test_after_a_split_each_has_its_own_page_again(client, merged):
    split_players(merged.pk, reason="two people after all")
    for name in ("player", "api:player"):
        assert client.get(reverse(name, args=["alexander_k"])).status_code == 200


def test_lists_searches_and_the_leaderboard_leave_merged_players_out(client, merged):
    pages = [
        reverse("players", query={"q": "alexander"}),
        reverse("leaderboard", args=["harbour-cup"]),
        reverse("api:players", query={"search": "alexander"}),
        reverse("api:leaderboard", args=["harbour-cup"]),
    ]
    for page in pages:
        text = text_of(client.get(page))
        assert "alexanderk" in text, page
        assert "alexander_k" not in text, page
    found = client.get(reverse("players", query={"q": "alexander_k"})).context["rows"]
    assert [row["player"].handle for row in found] == ["alexanderk"]
    missed = client.get(reverse("player", args=["alexander_kk"]))
    assert [player.handle for player in missed.context["players"]] == ["alexanderk"]


# Queries


@pytest.mark.parametrize("size", [1, 200])
def test_the_list_takes_a_fixed_number_of_queries(organizer, series, django_assert_num_queries, size):
    for i in range(size + 1):
        make_contest(series, standings=[(f"constantin{chr(97 + i % 26)}{chr(97 + i // 26)}", 1)])
    for player in Player.objects.all():
        add_alias(player.pk, handle=f"{player.handle} too")
    # session, user, series, right to it; number of players, players, other names, merged ones, counts; compared
    # players, who met, players of pairs, their counts
    with django_assert_num_queries(13):
        page = organizer.get(at("people", series.slug))
    assert page.context["duplicates"].pairs


@pytest.mark.parametrize("size", [1, 200])
def test_the_page_of_a_person_takes_a_fixed_number_of_queries(organizer, series, django_assert_num_queries, size):
    player = make_player("ann")
    for i in range(size):
        make_contest(series, standings=[("ann", 1)])
        add_alias(player.pk, handle=f"alias{i}")
        other = make_player(f"was{i}", merged_into=player)
        PlayerMerge.objects.create(kept=player, merged=other)
    # session, user, player, right to it; foreign series; results by series, names, merges; own series, results; history
    with django_assert_num_queries(11):
        assert organizer.get(at("person", player.pk)).status_code == 200


@pytest.mark.parametrize("size", [1, 200])
def test_two_side_by_side_take_a_fixed_number_of_queries(organizer, series, django_assert_num_queries, size):
    for handle in ("ann", "anna"):
        for _ in range(size):
            make_contest(series, standings=[(handle, 1)])
        for i in range(size):
            add_alias(make_player(handle).pk, handle=f"{handle}{i}")
    address = at("person-merge", make_player("ann").pk, **{"with": "anna"})
    # session, user, player, foreign series, right to it; other, foreign series; results, names, merges; both in one
    with django_assert_num_queries(11):
        page = organizer.get(address)
    assert page.context["both"] == []
