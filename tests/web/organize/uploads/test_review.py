"""The review of a file: how it is read, its problems, and the choices that change how it is read."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse
from openpyxl import Workbook

from contests.formats import ReadingOptions
from contests.models import AuditEntry, Player, Upload
from contests.services.contests import finalize_contest
from contests.services.describing import ContestDescription, describe_contest
from contests.services.series import describe_series
from contests.uploads.staging import FOLDER, read_choices
from tests.factories import make_contest, make_player, make_series
from tests.pages import Page
from tests.web.organize.forms import press, save, upload
from tests.web.organize.reviewing import handles, mapping, stored

pytestmark = pytest.mark.django_db

ODD = "No;Racer;Pts;Shoes\n1;ann;3,5;41\n2;bob;2,5;40\n"


def columns(review) -> dict[str, str]:
    return {column.name: column.field for column in review.context["review"].columns.columns}


def test_nothing_is_stored_before_it_is_saved(organizer, draft):
    before = stored()
    review = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n")
    press(organizer, review, "decide-people", handle_0="ann", who_0="new")
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


def test_an_unknown_column_is_ignored_with_a_remark(organizer, draft):
    review = upload(organizer, draft, "rank,handle,shoe size\n1,ann,41\n2,bob,40\n")
    assert not review.context["errors"].count
    remark = review.context["warnings"].problems[0]
    assert (remark.row, remark.column) == (1, "shoe size")
    assert "Unknown column, ignored" in remark.message
    assert columns(review)["shoe size"] == ""


def test_the_table_of_a_league_is_read_without_its_numbers_of_games(organizer, draft):
    review = upload(organizer, draft, "Team,Played,Won,Points\nann,3,3,9\nbob,3,2,6\n")
    assert not review.context["errors"].count
    remarks = review.context["warnings"].problems
    assert {remark.column for remark in remarks if "Unknown column, ignored" in remark.message} == {"Played", "Won"}
    assert columns(review) == {"Team": "handle", "Played": "", "Won": "", "Points": "score"}


def test_an_unknown_column_hides_no_other_remark_about_the_head_of_a_table(organizer, draft):
    review = upload(organizer, draft, "Spring cup,,\nrank,name,shoe size\n1,ann,41\n2,bob,40\n")
    assert not review.context["errors"].count
    remarks = review.context["warnings"].problems
    assert [(remark.row, remark.column, remark.message.partition(". ")[0]) for remark in remarks] == [
        (1, None, "The row above the column names was ignored."),
        (2, "shoe size", "Unknown column, ignored"),
        (2, "name", "There is no column “handle”, so this one identifies the players."),
    ]
    save(organizer, review)
    assert handles(draft) == ["ann", "bob"]


@pytest.mark.parametrize(
    ("table", "number"),
    [
        ("rank,handle,shoe size,,score\n1,ann,41,,7\n2,bob,40,left,5\n", 4),
        ("rank,handle,,score\n1,ann,,7\n2,bob,left,5\n", 3),
    ],
)
def test_an_unnamed_column_with_content_is_ignored_with_a_remark_like_unknown_ones(organizer, draft, table, number):
    review = upload(organizer, draft, table)
    assert not review.context["errors"].count
    assert review.context["warnings"].problems[-1].message == (
        f"Column {number} has no name, so its content was ignored, for example in row 3."
    )
    save(organizer, review)
    reading = ReadingOptions.from_json(Upload.objects.get().reading)
    assert reading.ignores_unknown, "the file is read again in the same way"


def test_columns_that_mean_the_same_are_a_problem_despite_an_unknown_one(organizer, draft):
    review = upload(organizer, draft, "rank,place,handle,shoe size\n1,2,ann,41\n2,1,bob,40\n")
    assert "both mean rank" in review.context["errors"].problems[0].message


def test_known_players_keep_their_names_and_countries_and_the_review_says_so(organizer, draft):
    make_player("ann", name="Ann Lee", country="DE")
    make_player("bob", name="", country="PL")
    make_player("cy", name="Cy Young", country="FR")
    make_player("di", name="Di Roy")
    file = "rank,handle,name,country\n1,ann,ANN  LEE,DE\n2,BOB,Bob Hope,PL\n3,cy,Cy Old,IT\n4,di,,\n5,eve,Eve Ott,SE\n"
    review = upload(organizer, draft, file)
    said = [remark.message for remark in review.context["warnings"].problems if remark.row is None]
    assert len(said) == 1
    assert said[0].startswith(
        "The file has a different name or country for a known player: cy (Cy Old, stored Cy Young; IT, stored FR)."
    )
    expected = [("ann", "Ann Lee", "DE"), ("BOB", "", "PL"), ("cy", "Cy Young", "FR"), ("di", "Di Roy", ""),
                ("eve", "Eve Ott", "SE")]  # fmt: skip
    assert [(row.handle, row.name, row.country) for row in review.context["table"].rows] == expected
    save(organizer, review)
    stored = draft.standings.order_by("place").values_list("player__name", "player__country")
    assert list(stored) == [(name, country) for _, name, country in expected]


def test_names_and_countries_that_podium_lacks_are_added_on_request(organizer, draft):
    make_player("ann", name="Ann Lee")
    make_player("bob")
    make_player("cy", name="Cy Young", country="FR")
    make_player("di")
    make_contest(make_series("other"), standings=[("di", 1), ("zed", 2)])
    file = (
        "rank,handle,name,country\n1,ann,ANN  LEE,DE\n2,bob,Bob Hope,PL\n3,cy,Cy Old,IT\n4,di,Di Roy,\n5,eve,Eve,SE\n"
    )
    review = upload(organizer, draft, file)
    offered = [(player.handle, one.name, one.country) for player, one in review.context["missing"]]
    assert offered == [("ann", "", "DE"), ("bob", "Bob Hope", "PL")]
    assert "For 2 known players, the file has a name or country" in Page(review).text
    added = press(organizer, review, "add-missing")
    assert "Added the names or countries of 2 players." in Page(added).text
    assert not added.context["missing"]
    known = Player.objects.filter(handle__in=["ann", "bob", "cy", "di"])
    assert sorted(known.values_list("handle", "name", "country")) == [
        ("ann", "Ann Lee", "DE"), ("bob", "Bob Hope", "PL"), ("cy", "Cy Young", "FR"), ("di", "", ""),
    ]  # fmt: skip
    entries = AuditEntry.objects.filter(action="player.describe").order_by("id")
    assert [(entry.player.handle, entry.after) for entry in entries] == [
        ("ann", {"country": "DE"}), ("bob", {"name": "Bob Hope", "country": "PL"}),
    ]  # fmt: skip


def test_a_private_series_adds_no_names(organizer, series, draft):
    make_player("bob")
    describe_series(series.pk, name=series.name, description="", is_public=False)
    review = upload(organizer, draft, "rank,handle,name\n1,bob,Bob Hope\n2,eve,Eve\n")
    assert not review.context["missing"]
    assert "bob (Bob Hope, none stored)" in Page(review).text
    press(organizer, review, "add-missing")
    assert Player.objects.get(handle="bob").name == ""


def test_the_review_warns_about_a_contest_in_the_future(organizer, draft):
    file = "rank,handle\n1,ann\n2,bob\n"
    warning = "This contest has not ended yet. Its end is set to 2 May 2099 18:00 UTC. Correct the date if it is wrong"
    assert "has not ended yet" not in Page(upload(organizer, draft, file)).text
    describe_contest(draft.pk, description=ContestDescription(draft.name, datetime(2099, 5, 2, 18, tzinfo=UTC)))
    page = Page(upload(organizer, draft, file))
    assert warning in page.text
    assert page.links["Correct the date"] == reverse("organize:contest-edit", args=[draft.pk])
    save(organizer, upload(organizer, draft, file))
    assert warning in Page(organizer.post(reverse("organize:finalize", args=[draft.pk]), follow=True)).text


def test_choosing_two_columns_for_one_field_is_a_problem(organizer, draft):
    review = upload(organizer, draft, "rank,handle,score\n1,ann,3\n2,bob,2\n")
    review = press(organizer, review, "read", **mapping(column_0="rank", column_1="handle", column_2="rank"))
    assert "set to rank" in review.context["errors"].problems[0].message
    review = press(organizer, review, "read", **mapping(column_0="rank", column_1="handle", column_2="score"))
    assert not review.context["errors"].count


def test_another_header_line_detects_the_columns_again(organizer, draft):
    review = upload(organizer, draft, "rank,handle\n1,ann\nrank,handle\n1,bob\n2,eve\n")
    assert review.context["errors"].count
    review = press(organizer, review, "read", **mapping(header_row=3, column_0="", column_1=""))
    assert [row.handle for row in review.context["table"].rows] == ["bob", "eve"]


def test_the_meaning_of_a_comma_can_be_chosen(organizer, draft):
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
def test_an_invalid_form_changes_nothing(organizer, draft, wrong):
    review = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n")
    before = read_choices(review.context["staged"])
    answer = press(organizer, review, "read", **({} if not wrong else mapping(**wrong)))
    assert answer.status_code == 200
    if wrong:
        assert read_choices(review.context["staged"]) == before


def test_problems_are_counted_and_the_first_200_are_listed_by_row_column_value_and_remedy(organizer, draft):
    rows = "".join(f"{i},p{i},x{i}\n" for i in range(1, 251))
    review = upload(organizer, draft, "rank,handle,score\n" + rows)
    page = Page(review)
    assert "250 errors in" in page.text
    assert len(review.context["errors"].problems) == 200
    assert page.tables[0][0] == ["Row", "rank", "handle", "score", "Whole row"]
    assert "number" in page.tables[0][1][3], "the message is beside the cell"
    assert page.tables[1][1][:3] == ["202", "score", "“x201”"], "200 rows can be corrected on the page"


@pytest.mark.parametrize("name", ["review", "review-remarks", "review-save"])
def test_a_file_that_is_missing_from_the_storage_is_asked_for_again(organizer, draft, name):
    staged = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n", "round 1.csv").context["staged"]
    default_storage.delete(f"{FOLDER}/{staged.token}/content")
    address = reverse(f"organize:{name}", args=[draft.pk, staged.token])
    send = organizer.post if name == "review-save" else organizer.get
    answer = send(address, {"version": 1}, follow=True)
    assert answer.status_code == 200
    if name != "review":  # it shows what was read before
        assert "is no longer stored. Upload it again." in Page(answer).text


def test_the_file_can_be_downloaded_with_remarks(organizer, draft):
    review = upload(organizer, draft, "rank,handle,score\n1,ann,3\n2,bob,NaN\n", "round 1.csv")
    address = reverse("organize:review-remarks", args=[draft.pk, review.context["staged"].token])
    answer = organizer.get(address)
    assert answer["Content-Disposition"].startswith("attachment; filename=")
    rows = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    remarks = next(i for i, name in enumerate(rows[0]) if name.startswith("remarks"))
    assert [row[:remarks] + row[remarks + 1 :] for row in rows[1:]] == [["1", "ann", "3"], ["2", "bob", "NaN"]]
    assert "usable number" in rows[2][remarks]
    assert rows[1][remarks] == ""
    fixed = answer.content.replace(b"NaN", b"2")
    review = upload(organizer, draft, fixed, "fixed.csv")
    assert not review.context["errors"].count
    assert not review.context["warnings"].count


@pytest.mark.parametrize(("content", "offered"), [("%PDF-1.7 and more", False), ("rank,handle\n1,ann\nx,bob\n", True)])
def test_remarks_are_offered_only_where_they_have_a_row(organizer, draft, content, offered):
    review = upload(organizer, draft, content, "standings.csv")
    assert review.context["errors"].count == 1
    assert ("Download file with remarks" in Page(review).text) is offered


def test_pasted_tables_are_told_apart_by_their_length(organizer, draft):
    address = reverse("organize:upload", args=[draft.pk])
    for table in ("rank\thandle\n1\tann\n2\tbob\n", "rank\thandle\n1\tann\n"):
        organizer.post(address, {"text": table})
    text = Page(organizer.get(address)).text
    assert "A table of 3 lines that was pasted" in text
    assert "A table of 2 lines that was pasted" in text


def test_a_pasted_table_can_be_changed_where_it_was_pasted(organizer, draft):
    address = reverse("organize:upload", args=[draft.pk])
    review = organizer.post(address, {"text": "rank\thandle\n1\tann\n2\tANN\n"}, follow=True)
    assert review.context["errors"].count == 1
    link = Page(review).links["Edit the pasted table"]
    assert "1\tann\n2\tANN" in organizer.get(link).content.decode()
    assert "ann" not in organizer.get(f"{address}?edit={'0' * 32}").content.decode()


@pytest.mark.parametrize("score", ["2450,5", "2450,50", "2.450,5"])
def test_a_score_with_a_decimal_comma_is_shown_with_the_digits_of_the_file(organizer, draft, score):
    table = f"rank;handle;score\n1;ann;{score}\n2;bob;1234,5678\n"
    review = upload(organizer, draft, table)
    shown = {"2,450.5", "1,234.5678"}
    assert shown <= cells_of(review)
    save(organizer, review)
    assert shown <= cells_of(organizer.get(reverse("organize:contest", args=[draft.pk])))
    finalize_contest(draft.pk)
    assert shown <= cells_of(organizer.get(draft.get_absolute_url()))
    ann = draft.standings.get(player__handle="ann")
    assert "score 2,450.5" in Page(organizer.get(reverse("organize:correct", args=[ann.pk]))).text


def cells_of(page) -> set[str]:
    return {cell for table in Page(page).tables for row in table for cell in row}


def test_the_contents_of_columns_are_offered_in_the_readers_language(organizer, draft):
    review = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n")
    assert '<option value="rank" selected>rank</option>' in review.content.decode()
    text = organizer.get(review.request["PATH_INFO"], headers={"accept-language": "de"}).content.decode()
    assert '<option value="rank" selected>Rang (rank)</option>' in text
    assert '<option value="handle" selected>handle</option>' in text
    assert '<option value="player_a">Erster Spieler (player_a)</option>' in text


def test_no_field_is_suggested_that_another_column_has(organizer, draft):
    review = upload(organizer, draft, "rank,handle,Nation,Paid?,Natoin\n1,ann,DE,yes,x\n2,bob,FR,no,y\n")
    assert [problem.message.partition(". ")[2][:18] for problem in review.context["warnings"].problems] == [
        "To use this column", "To use this column",
    ]  # fmt: skip
