"""New handles in a file under review: players are suggested, chosen and remembered, but never guessed."""

from __future__ import annotations

import re

import pytest

from contests.models import AuditEntry, Player, PlayerAlias, Upload
from tests.factories import make_contest, make_player, make_series, make_user
from tests.pages import Page, markup
from tests.web.organize.forms import press, save, upload
from tests.web.organize.reviewing import decide, handles, mapping, stored
from web.shared.projected_rows import StandingsPreview, preview_to_json

pytestmark = pytest.mark.django_db


def test_a_close_name_is_suggested_and_never_chosen_silently(organizer, series, draft):
    known = make_player("alexander_k")
    make_contest(series, standings=[("alexander_k", 1), ("bob", 2)])
    review = upload(organizer, draft, "rank,handle\n1,alexanderk\n2,bob\n")
    person = review.context["review"].unmatched[0]
    assert [each.player_id for each in person.suggestions] == [known.pk]
    assert not person.is_decided
    assert "close to the known player “alexander_k”" in review.context["warnings"].problems[0].message
    assert f'value="player-{known.pk}"> ' in review.content.decode(), "one tap away, and not chosen"
    save(organizer, review)
    assert handles(draft) == ["alexanderk", "bob"]


def test_the_first_file_of_a_community_asks_nothing_about_its_players(organizer, draft):
    review = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n")
    assert review.context["review"].unmatched_count == 2
    assert "who_0" not in review.content.decode()
    make_player("cy")
    assert "who_0" in organizer.get(review.redirect_chain[-1][0]).content.decode()


def test_a_known_player_is_chosen_and_the_handle_remembered(organizer, ida, series, draft):
    known = make_player("alexander_k")
    make_contest(series, standings=[("alexander_k", 1), ("bob", 2)])
    review = upload(organizer, draft, "rank,handle\n1,alexanderk\n2,bob\n")
    said = {"handle_0": "alexanderk", "who_0": f"player-{known.pk}", "alias_0": "on"}
    review = decide(organizer, review, **said)
    assert not review.context["warnings"].count
    assert review.context["table"].new_players == 0
    assert "known as alexander_k" in Page(review).text
    assert not PlayerAlias.objects.exists(), "learned when it is saved"
    save(organizer, review)
    assert handles(draft) == ["alexander_k", "bob"]
    alias = PlayerAlias.objects.get()
    assert (alias.handle, alias.player) == ("alexanderk", known)
    entry = AuditEntry.objects.get(action__startswith="player.", player=known)
    assert entry.actor == ida
    assert Upload.objects.get().decisions == {"alexanderk": known.pk}
    other = make_contest(series, finalized=False)
    save(organizer, upload(organizer, other, "rank,handle\n1,AlexanderK\n2,bob\n"))
    assert handles(other) == ["alexander_k", "bob"]


def test_any_known_player_can_be_typed_by_handle_or_other_name(organizer, draft):
    zoe = make_player("zoe")
    PlayerAlias.objects.create(handle="zoe-old", handle_key="zoe-old", player=zoe)
    Player.objects.filter(pk=zoe.pk).update(name="Zoë Stone")
    make_contest(draft.series, standings=[("zoe", 1), ("yan", 2)])
    for typed in ("Zoe", "ZOE-OLD", "zoe stone"):
        review = upload(organizer, draft, "rank,handle\n1,quite other\n2,bob\n")
        review = decide(organizer, review, handle_0="quite other", who_0="typed", typed_0=typed)
        assert review.context["review"].unmatched[0].meant.handle == "zoe"
    said = {"handle_0": "bob", "who_0": "typed", "typed_0": "nobody at all"}
    review = decide(organizer, review, page="1", **said)
    assert "no player has the handle “nobody at all”" in Page(review).text
    assert review.redirect_chain[-1][0].endswith("?people=1"), "the page opens at the top, where the error is"
    listed = [person.handle for person in review.context["people"]]
    field = re.search(rf'<input [^>]*name="typed_{listed.index("bob")}".*?>', markup(review)).group()
    assert 'value="nobody at all" aria-invalid="true"' in field, "the rejected handle is still there"
    assert markup(review).count("no player has the handle “nobody at all”. Look up") == 2, "above, and in the row"
    assert "nobody at all" not in organizer.get(review.redirect_chain[-1][0]).content.decode(), "only once"
    other = {"handle_499": "not in the file", "who_499": "typed", "typed_499": "nobody else"}
    page = markup(decide(organizer, review, **other))
    for name, value in (("handle_499", "not in the file"), ("typed_499", "nobody else")):
        assert f'value="{value}"' in re.search(rf'<input [^>]*name="{name}".*?>', page).group()
    assert decide(organizer, review, **said | {"typed_0": "zoe"}).redirect_chain[-1][0].endswith("#people")
    decide(organizer, review, **said | {"who_0": "new"})
    save(organizer, review)
    assert handles(draft) == ["zoe", "bob"]
    assert PlayerAlias.objects.count() == 1, "not remembered, as that was not asked for"


def test_rows_without_a_choice_stay_open_and_a_typed_handle_is_a_choice(organizer, series, draft):
    make_contest(series, standings=[("alexander_k", 1), ("katherine_j", 2)])
    review = upload(organizer, draft, "rank,handle\n1,alexanderk\n2,katherinej\n")
    assert "checked" not in review.content.decode()
    assert "Each will become a new player unless you choose a known one." in Page(review).text
    said = {"handle_0": "alexanderk", "typed_0": "alexander_k", "handle_1": "katherinej", "typed_1": ""}
    review = decide(organizer, review, **said)
    people = {person.handle: person for person in review.context["review"].unmatched}
    assert people["alexanderk"].meant.handle == "alexander_k"
    assert not people["katherinej"].is_decided
    assert review.context["warnings"].count == 1


def test_decisions_survive_reading_the_file_again(organizer, draft):
    known = make_player("ann")
    review = upload(organizer, draft, "rank,handle,points\n1,anna b,3\n2,bob,2\n")
    decide(organizer, review, handle_0="anna b", who_0="typed", typed_0="ann")
    chosen = mapping(column_0="rank", column_1="handle", column_2="")
    review = press(organizer, review, "read", **chosen)
    assert [row.score for row in review.context["table"].rows] == [None, None]
    assert [person.meant.player_id for person in review.context["review"].unmatched if person.meant] == [known.pk]
    save(organizer, review)
    assert handles(draft) == ["ann", "bob"]


def test_all_undecided_handles_can_become_new_players_at_once(organizer, series, draft):
    make_contest(series, standings=[("alexander_k", 1), ("katherine_j", 2)])
    review = upload(organizer, draft, "rank,handle\n1,alexanderk\n2,katherinej\n")
    assert review.context["review"].close_names == 2
    review = press(organizer, review, "decide-people", all_new=1)
    assert review.context["review"].close_names == 0
    assert not review.context["warnings"].count
    save(organizer, review)
    assert handles(draft) == ["alexanderk", "katherinej"]


def test_two_rows_that_are_one_player_are_refused_with_both_rows(organizer, draft):
    make_player("ann")
    review = upload(organizer, draft, "rank,handle\n1,ann\n2,annie\n3,anna\n")
    both = {"handle_0": "annie", "who_0": "typed", "typed_0": "ann"}
    review = decide(organizer, review, **both)
    problem = review.context["errors"].problems[0]
    assert problem.row == 3
    assert "same player as “ann” in row 2" in problem.message
    assert save(organizer, review).context["errors"].count == 1
    assert not draft.standings.exists()
    review = decide(organizer, review, handle_0="annie", who_0="new")
    assert not review.context["errors"].count


def test_an_alias_of_someone_else_is_refused_and_nothing_is_saved(organizer, draft):
    make_player("ann")
    make_player("bob")
    review = upload(organizer, draft, "rank,handle\n1,bob\n2,eve\n")
    said = {"handle_0": "bob", "who_0": "typed", "typed_0": "ann", "alias_0": "on"}
    review = decide(organizer, review, **said)
    before = stored()
    answer = save(organizer, review)
    assert "is the handle of another player" in Page(answer).text
    assert stored() == before
    review = decide(organizer, review, handle_0="bob", who_0="typed", typed_0="ann")
    save(organizer, review)
    assert handles(draft) == ["ann", "eve"]


def test_ids_that_were_not_suggested_for_the_row_reveal_nothing_about_players(organizer, series, draft):
    """Someone who organizes any series tries one id after the other, for rows that they made up."""
    secret = make_series("secret", is_public=False, organizer=make_user("eve"))
    make_contest(secret, standings=[("Agent Zero", 1), ("katherinej", 2)])
    make_contest(series, standings=[("alexander_k", 1), ("zoe", 2)])
    rows = "rank,handle\n1,alexanderk\n2,stranger\n"
    review = upload(organizer, draft, rows)
    for handle in ("alexanderk", "stranger", "not in the file"):
        offered = {"alexander_k"} if handle == "alexanderk" else set()
        for player in Player.objects.exclude(handle__in=offered):
            said = {"handle_0": handle, "who_0": f"player-{player.pk}", "alias_0": "on"}
            refused = decide(organizer, review, **said)
            text = Page(refused).text
            assert "choose one of the suggested players, or enter the handle of another" in text, (handle, player)
            assert not any(person.is_decided for person in refused.context["review"].unmatched)
            assert player.handle not in text.replace("alexander_k", "") or player.handle == "alexander_k"
    nobody = decide(organizer, review, handle_0="stranger", who_0="player-99999999")
    someone = decide(organizer, review, handle_0="stranger", who_0=f"player-{Player.objects.get(handle='zoe').pk}")
    assert Page(nobody).text == Page(someone).text, "the page does not reveal whether there is such a player"


def test_players_suggested_for_another_file_or_row_are_not_taken(organizer, series, draft):
    known = make_player("alexander_k")
    make_contest(series, standings=[("alexander_k", 1), ("zoe", 2)])
    first = upload(organizer, draft, "rank,handle\n1,alexanderk\n2,stranger\n")
    refused = decide(organizer, first, handle_0="stranger", who_0=f"player-{known.pk}")
    assert "choose one of the suggested players" in Page(refused).text
    second = upload(organizer, draft, "rank,handle\n1,stranger\n2,bob\n")
    refused = decide(organizer, second, handle_0="alexanderk", who_0=f"player-{known.pk}")
    assert "choose one of the suggested players" in Page(refused).text
    taken = decide(organizer, first, handle_0="alexanderk", who_0=f"player-{known.pk}")
    assert [person.meant.handle for person in taken.context["review"].unmatched if person.meant] == ["alexander_k"]


def test_names_of_players_in_series_of_others_are_not_decided_here(organizer, client, draft):
    make_contest(make_series("other-cup"), standings=[("ann", 1), ("bob", 2)])
    said = {"handle_0": "annie", "who_0": "typed", "typed_0": "ann", "alias_0": "on"}
    review = upload(organizer, draft, "rank,handle\n1,annie\n2,eve\n")
    review = decide(organizer, review, **said)
    why = "but Podium cannot save it as another name: the player has results in series that you do not organize"
    assert why in Page(review).text
    save(organizer, review)
    assert handles(draft) == ["ann", "eve"]
    assert not PlayerAlias.objects.exists()
    staff = client.__class__()
    staff.force_login(make_user("boss", is_staff=True))
    review = upload(staff, draft, "rank,handle\n1,annie\n2,zoe\n")
    save(staff, decide(staff, review, **said))
    assert PlayerAlias.objects.get().handle == "annie"


def test_rights_are_checked_again_when_saving(organizer, draft):
    make_player("ann")
    review = upload(organizer, draft, "rank,handle\n1,annie\n2,eve\n")
    review = decide(organizer, review, handle_0="annie", who_0="typed", typed_0="ann", alias_0="on")
    make_contest(make_series("other-cup"), standings=[("ann", 1), ("bob", 2)])
    before = stored()
    assert "cannot be saved as another name" in Page(save(organizer, review)).text
    assert stored() == before


def test_a_chosen_player_who_was_merged_meanwhile_is_the_kept_player(organizer, draft):
    ann, annie = make_player("ann"), make_player("annie")
    review = upload(organizer, draft, "rank,handle\n1,x9\n2,bob\n")
    review = decide(organizer, review, handle_0="x9", who_0="typed", typed_0="annie")
    Player.objects.filter(pk=annie.pk).update(merged_into=ann)
    save(organizer, review)
    assert handles(draft) == ["ann", "bob"]


@pytest.mark.parametrize(
    "said",
    [
        {"handle_0": "bob", "who_0": "player-99999999"},
        {"handle_0": "bob", "who_0": "player-" + "9" * 40},
        {"handle_0": "bob", "who_0": "player-x"},
        {"handle_0": "bob", "who_0": "typed", "typed_0": ""},
        {"handle_0": "bob", "who_0": "typed", "typed_0": "\0" * 9},
        {"handle_0": "bob", "who_0": "typed", "typed_0": "a" * 9000},
        {"handle_0": "b" * 9000, "who_0": "new"},
        {"handle_0": "b\0b", "who_0": "new"},
        {"handle_0": "bob"},
        {"page": "x", "all_new": ""},
    ],
)
def test_invalid_decisions_are_reported_or_ignored(organizer, draft, said):
    review = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n")
    review = decide(organizer, review, **said)
    assert review.status_code == 200
    save(organizer, review)
    assert handles(draft) == ["ann", "bob"]


ALICE = "\u0430lice"  # with a Cyrillic a


def warnings_of(review) -> list[tuple[int | None, str]]:
    return [(problem.row, problem.message) for problem in review.context["warnings"].problems]


def test_the_review_warns_of_letters_of_another_script_until_someone_decides(organizer, series, draft):
    make_contest(series, standings=[("alice", 1), ("bob", 2)])
    review = upload(organizer, draft, f"rank,handle\n1,{ALICE}\n2,bob\n3,Ива\u043do\u0432\n")
    known, mixed = warnings_of(review)
    assert known[0] == 2
    assert f"“{ALICE}” is new, but close to the known player “alice” (letters that look alike)" in known[1]
    assert "choose the known player, or correct the handle" in known[1]
    assert mixed[0] == 4
    assert "U+006F LATIN SMALL LETTER O" in mixed[1]
    review = decide(organizer, review, handle_0=ALICE, who_0="new")
    assert [row for row, _ in warnings_of(review)] == [4]
    save(organizer, review)
    assert handles(draft) == [ALICE, "bob", "Ива\u043do\u0432"], "the file can be saved anyway"
    again = make_contest(series, finalized=False)
    assert warnings_of(upload(organizer, again, f"rank,handle\n1,{ALICE}\n2,bob\n3,Ива\u043do\u0432\n")) == []


def test_the_review_warns_of_letters_of_another_script_beside_a_likely_match(organizer, series, draft):
    make_contest(series, standings=[("lin", 1), ("bob", 2)])
    Player.objects.filter(handle="lin").update(name="Lin Wei", country="CN")
    review = upload(organizer, draft, "rank,handle,name,country\n1,\u0430lin,Lin Wei,CN\n2,bob,,\n")
    close, mixed = (message for _, message in warnings_of(review))
    assert "close to the known player “lin” (same name and country)" in close
    assert "mixes look-alike letters from different scripts: it contains “\u0430” (U+0430" in mixed
    assert "A likely match is selected; Podium will ask you about it before saving." in Page(review).text


def test_the_review_warns_of_two_handles_that_look_alike(organizer, draft):
    review = upload(organizer, draft, f"rank,handle\n1,alice\n2,{ALICE}\n3,bob\n")
    ((row, message),) = warnings_of(review)
    assert row == 3
    assert f"“{ALICE}” looks like “alice” in row 2" in message


def test_runs_of_white_space_are_one_space_unless_a_known_player_has_them(organizer, series, draft):
    make_contest(series, standings=[("Fred Flint", 1), ("Wilma  F", 2)])
    table = "rank,handle\n1,Fred  Flint\n2,Wilma  F\n3,Barney \u00a0 R\n4,Betty\u00a0R\n"
    review = upload(organizer, draft, table)
    assert [row.handle for row in review.context["table"].rows] == ["Fred Flint", "Wilma  F", "Barney R", "Betty R"]
    assert not review.context["warnings"].count
    save(organizer, review)
    assert handles(draft) == ["Fred Flint", "Wilma  F", "Barney R", "Betty R"]
    other = make_contest(series, finalized=False)
    problems = upload(organizer, other, "rank,handle\n1,Dino\u00a0F\n2,bob\n3,Dino F\n").context["errors"].problems
    assert [(problem.row, problem.other_row) for problem in problems] == [(4, 2)]
    review = upload(organizer, other, "rank,handle\n1,Fred  Flint\nx,Barney  R\n")
    assert not review.context["review"].unmatched, "both are known, though the file has errors"
    games = "date,player_a,player_b,result\n2025-05-01,Fred  Flint,Dino  F,1-0\n2025-05-02,Dino F,Fred Flint,1-0\n"
    review = upload(organizer, other, games)
    assert [row.handle for row in review.context["table"].rows] == ["Fred Flint", "Dino F"]


@pytest.mark.parametrize("is_reopened", [True, False])
def test_a_review_asks_about_players_who_were_added_after_it(organizer, series, draft, is_reopened):
    earlier = upload(organizer, draft, "rank,handle\n1,Xaver Holzmann\n2,Wanda Iwanow\n")
    assert earlier.context["review"].close_names == 0
    other = make_contest(series, finalized=False)
    save(organizer, upload(organizer, other, 'rank,handle\n1,"Holzmann, Xaver"\n2,"Iwanow, Wanda"\n'))
    if is_reopened:
        text = Page(organizer.get(earlier.redirect_chain[-1][0])).text
        assert "close to the known player “Holzmann, Xaver”" in text
    answer = press(organizer, earlier, "save", version=earlier.context["version"])
    assert [person.handle for person in answer.context["people"]] == ["Xaver Holzmann", "Wanda Iwanow"]
    assert handles(draft) == [], "not saved yet"


def test_a_misspelt_row_of_a_replaced_draft_is_asked_about_again(organizer, series, draft):
    make_contest(series, standings=[("Bo Berg", 1), ("Ann Lee", 2)])
    for handle in ("Jan Kowalsky", "Jan Kowalski"):
        save(organizer, upload(organizer, draft, f"rank,handle\n1,{handle}\n2,Bo Berg\n"))
    misspelt = Player.objects.get(handle="Jan Kowalsky")
    review = upload(organizer, make_contest(series, finalized=False), "rank,handle\n1,Jan Kowalsky\n2,Bo Berg\n")
    (person,) = review.context["review"].unmatched
    assert [each.handle for each in person.suggestions] == ["Jan Kowalski"]
    assert review.context["review"].counts.new_players == 1
    save(organizer, review)
    assert Player.objects.get(handle="Jan Kowalsky") == misspelt, "those who insist get the same player"


def test_a_player_without_results_is_known_if_no_other_name_is_close(organizer, series, draft):
    make_contest(series, standings=[("Bo Berg", 1), ("Ann Lee", 2)])
    make_player("Zoe Quendt")
    review = upload(organizer, draft, "rank,handle\n1,Zoe Quendt\n2,Bo Berg\n")
    assert review.context["review"].unmatched == []


def test_ratings_that_take_long_are_computed_again_by_a_worker_for_new_players(organizer, series, draft, monkeypatch):
    make_contest(series, standings=[("Bo Berg", 1), ("Ann Lee", 2)])
    review = upload(organizer, draft, "rank,handle\n1,Zoe\n2,Bo Berg\n")
    asked = []
    monkeypatch.setattr("contests.uploads.review_work.ask_worker", asked.append)
    left_out = preview_to_json(StandingsPreview({}, not_replayed=40))
    monkeypatch.setattr("contests.uploads.reviewing.ratings_preview", lambda *args, **options: left_out)
    organizer.get(review.redirect_chain[-1][0])
    assert asked == [], "no player is new"
    make_player("Max")
    organizer.get(review.redirect_chain[-1][0])
    organizer.get(review.redirect_chain[-1][0])
    assert len(asked) == 1
