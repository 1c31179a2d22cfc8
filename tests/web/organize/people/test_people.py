"""The pages about people: the list, one person, renaming, merging and splitting."""

from __future__ import annotations

import pytest

from contests.models import AuditEntry, Player, PlayerMerge, Standing
from contests.services.merging import merge_players
from contests.services.renaming import add_alias
from tests.factories import make_contest, make_player, make_series
from tests.pages import Page
from tests.web.organize.people.merging import at, merge, text_of, two_spellings

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(series):
    return two_spellings(series)


# The list


def test_the_list_has_all_players_with_results_names_and_counts(organizer, series, people):
    make_contest(series, standings=[("zoe", 1)], finalized=False)
    make_contest(make_series("elsewhere"), standings=[("stranger", 1), ("bob", 2)])
    add_alias(people["bob"].pk, handle="Robert")
    answer = organizer.get(at("people", series))
    assert [(player.handle, count) for player, count, *_ in answer.context["rows"]] == [
        ("alexander_k", 1), ("alexanderk", 1), ("bob", 2), ("zoe", 1)
    ]  # fmt: skip
    assert "Robert" in text_of(answer)


@pytest.mark.parametrize("asked", ["BOB", "robert", "Fisher", "bobby"])
def test_people_are_found_by_every_name_they_have(organizer, series, people, asked):
    bob = people["bob"]
    Player.objects.filter(pk=bob.pk).update(name="Bob Fisher")
    add_alias(bob.pk, handle="Robert")
    make_player("bobby", merged_into=bob)
    answer = organizer.get(at("people", series, q=asked))
    assert [player.handle for player, *_ in answer.context["rows"]] == ["bob"]
    nobody = organizer.get(at("people", series, q="\x00nobody"))
    assert nobody.status_code == 200
    assert "Show all players" in text_of(nobody)


def test_possible_duplicates_are_pairs_with_close_names_that_never_met(organizer, series, people):
    make_contest(series, standings=[("konstantin", 1), ("konstantyn", 2), ("alexanderk", 3)])
    pairs = organizer.get(at("people", series)).context["duplicates"].pairs
    assert [(pair.first.handle, pair.first_count, pair.second.handle) for pair in pairs] == [
        ("alexanderk", 2, "alexander_k")
    ]
    merge(people)
    page = organizer.get(at("people", series))
    assert page.context["duplicates"].pairs == []
    assert "Podium found no likely duplicates." in text_of(page)
    choose = text_of(organizer.get(at("person-merge", Player.objects.get(handle="konstantin").pk)))
    assert "Players who were in a contest with <bdi>konstantin</bdi> are not suggested." in choose


# One person


def test_the_page_of_a_person_shows_names_results_merges_and_history(organizer, people, ida):
    add_alias(people["alexanderk"].pk, handle="sasha", actor=ida)
    merge(people, reason="the same e-mail address")
    text = text_of(organizer.get(at("person", people["alexanderk"].pk)))
    for said in ("sasha", "First", "Second", "Merged into this player", "the same e-mail address", "Split"):
        assert said in text


def test_a_merged_player_redirects_to_the_kept_one(organizer, people):
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


def test_the_details_of_a_player_can_be_edited(organizer, people, ida):
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
    assert "will still refer to the player" in text_of(organizer.get(proposal["Location"]))
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
    assert "No player has the handle “alexandr_k”" in text_of(typo)
    assert [suggestion.handle for suggestion in typo.context["suggestions"]] == ["alexander_k"]
    Player.objects.filter(handle="alexander_k").update(name="Alex Kay")
    named = organizer.get(at("person-merge", one, **{"with": "alex kay"}))
    assert [profile.player.handle for profile in named.context["profiles"]] == ["alexanderk", "alexander_k"]
    Player.objects.filter(handle="alexander_k").update(name="")
    oneself = organizer.get(at("person-merge", one, **{"with": "ALEXANDERK"}))
    assert "is this player. Enter" in text_of(oneself)
    side_by_side = organizer.get(at("person-merge", one, **{"with": "alexander_k"}))
    assert side_by_side.status_code == 200
    assert [profile.count for profile in side_by_side.context["profiles"]] == [1, 1]


def test_a_merge_of_a_player_with_only_drafts_says_so(organizer, series, people):
    make_contest(series, standings=[("draft-only", 1)], finalized=False)
    other = Player.objects.get(handle="draft-only")
    form = at("person-merge", other.pk, **{"with": "alexanderk"})
    proposal = organizer.post(form, {"kept": people["alexanderk"].pk, "reason": "the same e-mail address"})
    shown = text_of(organizer.get(proposal["Location"]))
    assert "“draft-only” has no finalized results." in shown
    assert "Results in drafts will move too." in shown
    organizer.post(proposal["Location"])
    assert Standing.objects.get(contest__state="draft", player__handle="alexanderk")


def test_a_merge_is_proposed_made_and_split_again(organizer, series, people):
    one, other = people["alexanderk"], people["alexander_k"]
    form = at("person-merge", other.pk, **{"with": "alexanderk"})
    assert organizer.post(form, {"kept": one.pk}).status_code == 422
    proposal = organizer.post(form, {"kept": one.pk, "reason": "the same e-mail address"})
    shown = text_of(organizer.get(proposal["Location"]))
    assert "Merge alexander_k into alexanderk" in shown
    assert "1 result of “alexander_k” will become one of the results of “alexanderk”, in Harbour Cup." in shown
    assert not PlayerMerge.objects.exists()
    organizer.post(proposal["Location"])
    organizer.post(proposal["Location"])
    other.refresh_from_db()
    assert other.merged_into == one
    made = PlayerMerge.objects.get()
    split = organizer.post(at("merge-split", made.pk), {"reason": "two people after all"})
    assert "1 result will go back to “alexander_k”, in Harbour Cup." in text_of(organizer.get(split["Location"]))
    organizer.post(split["Location"])
    other.refresh_from_db()
    assert other.merged_into is None
    again = organizer.get(at("merge-split", made.pk))
    assert again["Location"] == at("person", other.pk)


def test_players_in_the_same_contest_cannot_be_merged(organizer, series, people):
    for i in range(12):
        make_contest(series, standings=[("bob", 1), ("alexanderk", 2)], name=f"Duel {i}")
    form = at("person-merge", people["bob"].pk, **{"with": "alexanderk"})
    text = text_of(organizer.get(form))
    assert "both are in the same 13 contests" in text
    for name in ("First", *(f"Duel {i}" for i in range(12))):
        assert name in text
    assert "Preview change" not in text
    refused = organizer.post(form, {"kept": people["bob"].pk, "reason": "one person"})
    assert refused.status_code == 422
    assert "both are in the same 13 contests" in text_of(refused)
    assert not PlayerMerge.objects.exists()


def test_the_second_of_two_organizers_learns_that_the_two_are_merged(organizer, people, ida):
    form = at("person-merge", people["alexanderk"].pk, **{"with": "alexander_k"})
    proposal = organizer.post(form, {"kept": people["alexanderk"].pk, "reason": "one person"})["Location"]
    merge_players(people["alexander_k"].pk, people["alexanderk"].pk, reason="the other way round", actor=ida)
    late = organizer.post(proposal)
    assert late.status_code == 409
    assert "has already been merged into “alexander_k”" in text_of(late)
    assert PlayerMerge.objects.count() == 1


# Queries


@pytest.mark.parametrize("size", [1, 40])
def test_the_list_takes_a_fixed_number_of_queries(organizer, series, django_assert_num_queries, size):
    for i in range(size + 1):
        make_contest(series, standings=[(f"constantin{chr(97 + i % 26)}{chr(97 + i // 26)}", 1)])
    for player in Player.objects.all():
        add_alias(player.pk, handle=f"{player.handle} too")
    # session, user, series, right to it; number of players, players, other names, merged ones, counts; compared
    # players, who met, players of pairs, their counts; community
    with django_assert_num_queries(14):
        page = organizer.get(at("people", series))
    assert page.context["duplicates"].pairs


@pytest.mark.parametrize("size", [1, 40])
def test_the_page_of_a_person_takes_a_fixed_number_of_queries(organizer, series, django_assert_num_queries, size):
    player = make_player("ann")
    for i in range(size):
        make_contest(series, standings=[("ann", 1)])
        add_alias(player.pk, handle=f"alias{i}")
        other = make_player(f"was{i}", merged_into=player)
        PlayerMerge.objects.create(kept=player, merged=other)
    # session, user, player, right to it; series of others; results by series, names, merges; right to the community;
    # own series, results; history; community
    with django_assert_num_queries(14):
        assert organizer.get(at("person", player.pk)).status_code == 200


@pytest.mark.parametrize("size", [1, 40])
def test_two_players_side_by_side_take_a_fixed_number_of_queries(organizer, series, django_assert_num_queries, size):
    for handle in ("ann", "anna"):
        for _ in range(size):
            make_contest(series, standings=[(handle, 1)])
        for i in range(size):
            add_alias(make_player(handle).pk, handle=f"{handle}{i}")
    address = at("person-merge", make_player("ann").pk, **{"with": "anna"})
    # session, user, player, series of others, right to it; other, series of others; results, names, merges; both in
    # one; community
    with django_assert_num_queries(12):
        page = organizer.get(address)
    assert page.context["both"] == []


@pytest.mark.parametrize(("reason", "written"), [("one person", "one person."), ("One person!", "One person!")])
def test_the_reason_of_a_merge_ends_a_sentence_once(organizer, series, people, reason, written):
    made = merge(people, reason)
    # A page as text has a space wherever an element ends.
    shown = Page(organizer.get(at("merge-split", made.pk))).text.replace(" . ", ". ")
    assert f": {written} The results and names that moved will go back" in shown
