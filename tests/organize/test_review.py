"""The review of a standings file: read otherwise, mended, its people told apart, and saved whole or not at all."""

from __future__ import annotations

import csv
import io

import pytest
from django.urls import reverse
from openpyxl import Workbook

from contests.models import AuditEntry, Contest, Player, PlayerAlias, Standing, Upload
from contests.services.staging import find_staged, read_choices
from ratings.services.schemes import scheme_of
from tests.factories import make_contest, make_player, make_series, make_user, rate
from tests.organize.forms import press, save, upload
from tests.pages import Page

pytestmark = pytest.mark.django_db

ODD = "No;Racer;Pts;Shoes\n1;ann;3,5;41\n2;bob;2,5;40\n"
STORED = (Contest, Standing, Player, PlayerAlias, Upload, AuditEntry)


def stored() -> dict[str, int]:
    return {model.__name__: model.objects.count() for model in STORED}


def handles(contest: Contest) -> list[str]:
    return list(contest.standings.order_by("place", "id").values_list("player__handle", flat=True))


@pytest.fixture
def draft(series) -> Contest:
    scheme_of(series.pk)
    return make_contest(series, finalized=False)


def columns(review) -> dict[str, str]:
    return {column.name: column.field for column in review.context["review"].columns.columns}


def mapping(**said: object) -> dict[str, object]:
    return {"header_row": 1, "decimal_comma": "", "sheet": "", **said}


def test_nothing_is_stored_before_it_is_saved(organizer, draft):
    before = stored()
    review = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n")
    press(organizer, review, "people", handle_0="ann", who_0="new")
    press(organizer, review, "read", **mapping(column_0="rank", column_1="handle"))
    assert stored() == before
    save(organizer, review)
    assert handles(draft) == ["ann", "bob"]
    assert stored() == {**before, "Standing": 2, "Player": 2, "Upload": 1, "AuditEntry": before["AuditEntry"] + 1}


def test_columns_are_guessed_and_can_be_chosen_without_sending_the_file_again(organizer, draft):
    review = upload(organizer, draft, ODD)
    assert review.context["errors"].count
    assert columns(review) == {"No": "", "Racer": "", "Pts": "score", "Shoes": ""}
    assert [column.samples for column in review.context["review"].columns.columns][1] == ["ann", "bob"]
    chosen = mapping(column_0="rank", column_1="handle", column_2="score", column_3="")
    review = press(organizer, review, "read", **chosen)
    assert not review.context["errors"].count
    assert [(row.handle, row.score) for row in review.context["table"].rows] == [("ann", 3.5), ("bob", 2.5)]
    save(organizer, review)
    assert handles(draft) == ["ann", "bob"]
    assert draft.__class__.objects.get(pk=draft.pk).upload.reading["columns"] == {
        "0": "rank", "1": "handle", "2": "score", "3": ""
    }  # fmt: skip


def test_another_sheet_of_a_workbook_can_be_chosen(organizer, draft):
    book = Workbook()
    book.active.title = "Round 1"
    for row in (("rank", "handle"), (1, "ann"), (2, "bob")):
        book.active.append(row)
    other = book.create_sheet("Round 2")
    for row in (("A fine title",), ("Place", "Racer", "Points"), (1, "eve", 7), ("second", "zoe", 6)):
        other.append(row)
    file = io.BytesIO()
    book.save(file)
    review = upload(organizer, draft, file.getvalue(), "rounds.xlsx")
    assert [row.handle for row in review.context["table"].rows] == ["ann", "bob"]
    assert review.context["review"].columns.sheets == ["Round 1", "Round 2"]
    review = press(organizer, review, "read", **mapping(sheet="Round 2", column_0="rank", column_1="handle"))
    assert columns(review) == {"Place": "rank", "Racer": "", "Points": "score"}
    said = mapping(sheet="Round 2", header_row=2, column_0="rank", column_1="handle", column_2="score")
    review = press(organizer, review, "read", **said)
    problem = review.context["errors"].problems[0]
    assert (problem.row, problem.cell, problem.value) == (4, "A4", "“second”")
    assert "A4" in Page(review).text


def test_a_column_nobody_knows_is_left_out_and_said_to_be(organizer, draft):
    review = upload(organizer, draft, "rank,handle,shoe size\n1,ann,41\n2,bob,40\n")
    assert not review.context["errors"].count
    remark = review.context["warnings"].problems[0]
    assert (remark.row, remark.column) == (1, "shoe size")
    assert "left out" in remark.message
    assert columns(review)["shoe size"] == ""


def test_two_columns_chosen_for_one_thing_are_told(organizer, draft):
    review = upload(organizer, draft, "rank,handle,score\n1,ann,3\n2,bob,2\n")
    review = press(organizer, review, "read", **mapping(column_0="rank", column_1="handle", column_2="rank"))
    assert "both chosen as rank" in review.context["errors"].problems[0].message
    review = press(organizer, review, "read", **mapping(column_0="rank", column_1="handle", column_2="score"))
    assert not review.context["errors"].count


def test_another_line_of_names_makes_the_columns_be_guessed_anew(organizer, draft):
    review = upload(organizer, draft, "rank,handle\n1,ann\nrank,handle\n1,bob\n2,eve\n")
    assert review.context["errors"].count
    review = press(organizer, review, "read", **mapping(header_row=3, column_0="", column_1=""))
    assert [row.handle for row in review.context["table"].rows] == ["bob", "eve"]


def test_what_a_comma_means_can_be_said(organizer, draft):
    review = upload(organizer, draft, 'handle,score\nann,"1,500"\nbob,"1,250"\n')
    assert "can mean" in review.context["errors"].problems[0].message
    chosen = {"column_0": "handle", "column_1": "score"}
    review = press(organizer, review, "read", **mapping(decimal_comma="comma", **chosen))
    assert [row.score for row in review.context["table"].rows] == [1.5, 1.25]
    review = press(organizer, review, "read", **mapping(decimal_comma="point", **chosen))
    assert [row.score for row in review.context["table"].rows] == [1500, 1250]


@pytest.mark.parametrize(
    "wrong", [{"header_row": "x"}, {"header_row": "-1"}, {"column_0": "rating"}, {"decimal_comma": "both"}, {}]
)
def test_a_form_that_makes_no_sense_changes_nothing(organizer, draft, wrong):
    review = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n")
    before = read_choices(review.context["staged"])
    answer = press(organizer, review, "read", **({} if not wrong else mapping(**wrong)))
    assert answer.status_code == 200
    if wrong:
        assert read_choices(review.context["staged"]) == before


def test_problems_are_listed_by_row_column_value_and_remedy_and_counted_beyond(organizer, draft):
    rows = "".join(f"{i},p{i},x{i}\n" for i in range(1, 251))
    review = upload(organizer, draft, "rank,handle,score\n" + rows)
    page = Page(review)
    assert "250 problems in" in page.text
    assert len(review.context["errors"].problems) == 200
    assert "And 50 more, not listed here" in page.text
    assert page.tables[0][1][:3] == ["2", "score", "“x1”"]
    assert "number" in page.tables[0][1][3]


def test_the_file_can_be_downloaded_with_remarks(organizer, draft):
    review = upload(organizer, draft, "rank,handle,score\n1,ann,3\n2,bob,NaN\n", "round 1.csv")
    address = reverse("organize:review-annotated", args=[draft.pk, review.context["staged"].token])
    answer = organizer.get(address)
    assert answer["Content-Disposition"].startswith("attachment; filename=")
    rows = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    remarks = next(i for i, name in enumerate(rows[0]) if name.startswith("remarks"))
    assert [row[:remarks] + row[remarks + 1 :] for row in rows[1:]] == [["1", "ann", "3"], ["2", "bob", "NaN"]]
    assert "finite number" in rows[2][remarks]
    assert rows[1][remarks] == ""
    mended = answer.content.replace(b"NaN", b"2")
    review = upload(organizer, draft, mended, "mended.csv")
    assert not review.context["errors"].count
    assert not review.context["warnings"].count


def test_a_pasted_table_can_be_changed_where_it_was_pasted(organizer, draft):
    address = reverse("organize:upload", args=[draft.pk])
    review = organizer.post(address, {"text": "rank\thandle\n1\tann\n2\tANN\n"}, follow=True)
    assert review.context["errors"].count == 1
    link = Page(review).links["Change the pasted table"]
    assert "1\tann\n2\tANN" in organizer.get(link).content.decode()
    assert "ann" not in organizer.get(f"{address}?mend={'0' * 32}").content.decode()


# People


def decide(organizer, review, **said):
    return press(organizer, review, "people", **said)


def test_a_close_name_is_suggested_and_never_chosen_silently(organizer, series, draft):
    known = make_player("alexander_k")
    make_contest(series, standings=[("alexander_k", 1), ("bob", 2)])
    review = upload(organizer, draft, "rank,handle\n1,alexanderk\n2,bob\n")
    person = review.context["review"].people[0]
    assert [each.player_id for each in person.suggestions] == [known.pk]
    assert not person.is_decided
    assert "close to the known player “alexander_k”" in review.context["warnings"].problems[0].message
    assert f'value="player-{known.pk}"> ' in review.content.decode(), "one tap away, and not chosen"
    save(organizer, review)
    assert handles(draft) == ["alexanderk", "bob"]


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
    for typed in ("Zoe", "ZOE-OLD"):
        review = upload(organizer, draft, "rank,handle\n1,quite other\n2,bob\n")
        review = decide(organizer, review, handle_0="quite other", who_0="typed", typed_0=typed)
        assert review.context["review"].people[0].meant.handle == "zoe"
    review = decide(organizer, review, handle_0="bob", who_0="typed", typed_0="nobody at all")
    assert "nobody is called “nobody at all”" in Page(review).text
    save(organizer, review)
    assert handles(draft) == ["zoe", "bob"]
    assert PlayerAlias.objects.count() == 1, "not remembered, as that was not asked for"


def test_what_nobody_chose_stays_open_and_a_typed_handle_is_a_choice(organizer, series, draft):
    make_contest(series, standings=[("alexander_k", 1), ("katherine_j", 2)])
    review = upload(organizer, draft, "rank,handle\n1,alexanderk\n2,katherinej\n")
    assert "checked" not in review.content.decode()
    said = {"handle_0": "alexanderk", "typed_0": "alexander_k", "handle_1": "katherinej", "typed_1": ""}
    review = decide(organizer, review, **said)
    people = {person.handle: person for person in review.context["review"].people}
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
    assert [person.meant.player_id for person in review.context["review"].people if person.meant] == [known.pk]
    save(organizer, review)
    assert handles(draft) == ["ann", "bob"]


def test_all_can_be_taken_for_new_at_once(organizer, series, draft):
    make_contest(series, standings=[("alexander_k", 1), ("katherine_j", 2)])
    review = upload(organizer, draft, "rank,handle\n1,alexanderk\n2,katherinej\n")
    assert review.context["review"].close_names == 2
    review = press(organizer, review, "people", all_new=1)
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


def test_an_alias_that_is_somebody_elses_is_refused_and_nothing_is_saved(organizer, draft):
    ann, _ = make_player("ann"), make_player("bob")
    review = upload(organizer, draft, "rank,handle\n1,bob\n2,eve\n")
    said = {"handle_0": "bob", "who_0": f"player-{ann.pk}", "alias_0": "on"}
    review = decide(organizer, review, **said)
    before = stored()
    answer = save(organizer, review)
    assert "is the handle of another player" in Page(answer).text
    assert stored() == before
    review = decide(organizer, review, handle_0="bob", who_0=f"player-{ann.pk}")
    save(organizer, review)
    assert handles(draft) == ["ann", "eve"]


def test_what_a_player_of_anothers_series_is_called_is_not_decided_here(organizer, client, draft):
    make_contest(make_series("other-cup"), standings=[("ann", 1), ("bob", 2)])
    said = {"handle_0": "annie", "who_0": "typed", "typed_0": "ann", "alias_0": "on"}
    review = upload(organizer, draft, "rank,handle\n1,annie\n2,eve\n")
    review = decide(organizer, review, **said)
    assert "is not remembered: the player has results in series that you do not organize" in Page(review).text
    save(organizer, review)
    assert handles(draft) == ["ann", "eve"]
    assert not PlayerAlias.objects.exists()
    staff = client.__class__()
    staff.force_login(make_user("boss", is_staff=True))
    review = upload(staff, draft, "rank,handle\n1,annie\n2,zoe\n")
    save(staff, decide(staff, review, **said))
    assert PlayerAlias.objects.get().handle == "annie"


def test_rights_lost_between_choosing_and_saving_are_lost(organizer, draft):
    make_player("ann")
    review = upload(organizer, draft, "rank,handle\n1,annie\n2,eve\n")
    review = decide(organizer, review, handle_0="annie", who_0="typed", typed_0="ann", alias_0="on")
    make_contest(make_series("other-cup"), standings=[("ann", 1), ("bob", 2)])
    before = stored()
    assert "cannot be remembered" in Page(save(organizer, review)).text
    assert stored() == before


def test_a_chosen_player_who_was_merged_meanwhile_is_whom_they_are_now(organizer, draft):
    ann, annie = make_player("ann"), make_player("annie")
    review = upload(organizer, draft, "rank,handle\n1,x9\n2,bob\n")
    review = decide(organizer, review, handle_0="x9", who_0=f"player-{annie.pk}")
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
        {"handle_0": "bob"},
        {"page": "x", "all_new": ""},
    ],
)
def test_decisions_that_make_no_sense_are_told_or_passed_over(organizer, draft, said):
    review = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n")
    review = decide(organizer, review, **said)
    assert review.status_code == 200
    save(organizer, review)
    assert handles(draft) == ["ann", "bob"]


# The contest meanwhile


def test_who_comes_second_is_told_and_loses_nothing(organizer, client, series, draft):
    bo = make_user("bo")
    series.organizers.add(bo)
    review = upload(organizer, draft, "rank,handle\n1,ann b\n2,bob\n")
    make_player("ann")
    review = decide(organizer, review, handle_0="ann b", who_0="typed", typed_0="ann")
    shown = review.context["version"]
    other = client.__class__()
    other.force_login(bo)
    save(other, upload(other, draft, "rank,handle\n1,zoe\n2,kim\n"))
    answer = press(organizer, review, "save", version=shown)
    assert "changed by bo" in Page(answer).text
    assert handles(draft) == ["zoe", "kim"], "nothing of the other is lost"
    assert "Save as draft standings all the same" in Page(answer).text
    assert answer.context["review"].people[0].meant.handle == "ann"
    save(organizer, answer)
    assert handles(draft) == ["ann", "bob"]


def test_saving_twice_saves_once(organizer, draft):
    review = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n")
    first, second = save(organizer, review), save(organizer, review)
    assert first.status_code == second.status_code == 200
    assert AuditEntry.objects.filter(action="contest.standings").count() == 1
    assert find_staged(review.context["staged"].token) is None


def test_a_save_that_fails_in_the_middle_leaves_nothing(organizer, draft, monkeypatch, stored_files):
    review = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n")
    before, files = stored(), sorted(stored_files())

    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("power cut")

    monkeypatch.setattr("contests.services.uploading.save_standings", fail)
    with pytest.raises(RuntimeError):
        save(organizer, review)
    assert stored() == before
    assert sorted(stored_files()) == files
    monkeypatch.undo()


DOCUMENT = (
    '{"id": "r1", "name": "Summer Round", "end_time": "2025-06-01T18:00:00Z", "weight": 2, '
    '"standings": [["ann", 1, 3], ["bob", 2, 2]]}'
)


def test_what_a_file_says_otherwise_of_the_contest_is_shown_and_can_be_taken_over(organizer, draft):
    review = upload(organizer, draft, DOCUMENT, "round.json")
    assert [what for what, _, _ in review.context["differences"]] == ["name", "end", "weight"]
    assert not review.context["review"].columns.columns
    review = press(organizer, review, "take-over")
    draft.refresh_from_db()
    assert (draft.name, draft.weight, draft.ends_at.isoformat()) == ("Summer Round", 2, "2025-06-01T18:00:00+00:00")
    assert review.context["differences"] == []
    assert not review.context["contest_changed"], "it was the organizer"
    save(organizer, review)
    assert handles(draft) == ["ann", "bob"]


def test_taking_over_is_refused_when_somebody_was_quicker(organizer, draft):
    review = upload(organizer, draft, DOCUMENT, "round.json")
    Contest.objects.filter(pk=draft.pk).update(version=5)
    answer = press(organizer, review, "take-over")
    assert "was changed by" in Page(answer).text
    draft.refresh_from_db()
    assert draft.name != "Summer Round"


def test_ratings_that_have_moved_on_are_said_to_have_and_computed_again(organizer, series, draft):
    make_contest(series, standings=[("ann", 1), ("bob", 2)], day=-5)
    rate(series)
    review = upload(organizer, draft, "rank,handle\n1,bob\n2,ann\n")
    assert not review.context["ratings_moved_on"]
    first = review.context["table"].rows[0].effect
    make_contest(series, standings=[("bob", 1), ("ann", 2)], day=-4)
    rate(series)
    address = reverse("organize:review", args=[draft.pk, review.context["staged"].token])
    review = organizer.get(address)
    assert review.context["ratings_moved_on"]
    assert review.context["table"].rows[0].effect == first, "shown again, it costs nothing"
    review = press(organizer, review, "now")
    assert not review.context["ratings_moved_on"]
    assert review.context["table"].rows[0].effect.before > first.before


# Who may see it, and where it leads


def test_a_staged_file_belongs_to_its_contest(organizer, ida, series, draft):
    token = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n").context["staged"].token
    for other in (make_contest(series, finalized=False), make_contest(make_series(organizer=ida), finalized=False)):
        answer = organizer.get(reverse("organize:review", args=[other.pk, token]), follow=True)
        assert "is not kept any more" in Page(answer).text
        organizer.post(reverse("organize:review-save", args=[other.pk, token]), {"version": 0})
        assert not other.standings.exists()
    assert find_staged(token) is not None


def test_organizers_of_other_series_get_nothing_of_it(organizer, client, series, draft):
    token = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n").context["staged"].token
    eve = client.__class__()
    eve.force_login(make_user("eve"))
    own = make_contest(make_series(organizer=make_user("other")), finalized=False)
    for name in ("review", "review-annotated", "review-progress"):
        assert eve.get(reverse(f"organize:{name}", args=[draft.pk, token])).status_code == 403
        assert eve.get(reverse(f"organize:{name}", args=[own.pk, token])).status_code == 403
    for name in ("read", "people", "take-over", "now", "save", "discard"):
        assert eve.post(reverse(f"organize:review-{name}", args=[draft.pk, token])).status_code == 403
        assert organizer.get(reverse(f"organize:review-{name}", args=[draft.pk, token])).status_code == 405
    assert find_staged(token) is not None
    assert not draft.standings.exists()


@pytest.mark.parametrize("token", ["x", "0" * 31, "A" * 32, "staging", "0" * 4000])
def test_tokens_that_are_none_lead_nowhere(organizer, draft, token):
    assert organizer.get(reverse("organize:review", args=[draft.pk, token])).status_code == 404


@pytest.mark.parametrize("query", ["people=0", "people=x", f"people={10**30}", "people=-1", "people=%00"])
def test_pages_of_people_out_of_range_show_one(organizer, draft, query):
    rows = "".join(f"{i},p{i}\n" for i in range(1, 61))
    review = upload(organizer, draft, "rank,handle\n" + rows)
    address = reverse("organize:review", args=[draft.pk, review.context["staged"].token])
    page = organizer.get(f"{address}?{query}")
    assert page.status_code == 200
    assert page.content.count(b' value="new"') in (25, 10), "the first page, or the last one"


def test_handles_beyond_the_first_page_are_decided_on_theirs(organizer, draft):
    make_player("ann")
    rows = "".join(f"{i},p{i}\n" for i in range(1, 61))
    review = upload(organizer, draft, "rank,handle\n" + rows)
    review = press(organizer, review, "people", page=3, handle_0="p55", who_0="typed", typed_0="ann")
    assert review.request["QUERY_STRING"] == "people=3"
    save(organizer, review)
    assert handles(draft)[54] == "ann"


SIZES = pytest.mark.parametrize("size", [2, 200])


@SIZES
def test_showing_a_review_takes_six_queries(organizer, series, draft, django_assert_num_queries, size):
    make_contest(series, players=size, day=-9)
    rate(series)
    half = "".join(f"{i + 1},{'q' if i % 2 else 'p'}{i}\n" for i in range(size))
    review = upload(organizer, draft, "rank,handle\n" + half)
    address = reverse("organize:review", args=[draft.pk, review.context["staged"].token])
    # session, user, contest with series, right to it; run, scheme
    with django_assert_num_queries(6):
        page = organizer.get(address)
    assert len(page.context["table"].rows) == size
    assert page.context["review"].people_count == size // 2


@SIZES
def test_reviewing_and_saving_take_as_many_queries_for_many_rows_as_for_few(organizer, series, draft, size, request):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    make_contest(series, players=size, day=-9)
    rate(series)
    half = "".join(f"{i + 1},{'q' if i % 2 else 'p'}{i}\n" for i in range(size))
    with CaptureQueriesContext(connection) as reviewing:
        review = upload(organizer, draft, "rank,handle\n" + half)
    with CaptureQueriesContext(connection) as saving:
        save(organizer, review)
    assert handles(draft)[:2] == ["p0", "q1"]
    seen = request.config.stash.setdefault(_COUNTED, set())
    seen.add((len(reviewing), len(saving)))
    assert len(seen) == 1, seen


_COUNTED = pytest.StashKey[set[tuple[int, int]]]()
