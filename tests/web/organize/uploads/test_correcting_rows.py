"""Corrections of rows in the review itself: by cell or by row, with undo, and without overwriting those of others."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest
from django.urls import reverse

from contests.formats.table.corrections import LONGEST
from contests.models import AuditEntry, Upload
from contests.uploads.correcting import digest_of
from contests.uploads.staging import discard_staged, read_choices
from tests.factories import make_contest, make_player, make_series, make_user
from tests.pages import Page
from tests.web.organize.forms import press, save, upload
from tests.web.organize.reviewing import decide, handles, mapping

if TYPE_CHECKING:
    from django.test import Client

pytestmark = pytest.mark.django_db

MISTAKEN = "rank,handle,score\nfirst,ann,300\n2,bob,many\n3,ANN,100\n"


def edited(review: Any) -> dict[int, dict[str, Any]]:
    """Return the fields of each row that can be corrected: row -> column -> field."""
    return {row.number: {cell.label: cell for cell in row.cells} for row in review.context["edited"].page}


def filled(review: Any, changes: dict[tuple[int, str], str], **more: object) -> dict[str, object]:
    """Return the whole form as a browser sends it, with some cells changed: (row, column) -> text."""
    said: dict[str, object] = dict(more)
    for row in review.context["edited"].page:
        said[f"seen_{row.number}"] = row.seen
        if not row.is_left_out:
            for cell in row.cells:
                said[cell.name] = changes.get((row.number, cell.label), cell.value)
    return said


def correct(client: Client, review: Any, changes: dict[tuple[int, str], str], **more: object) -> Any:
    return press(client, review, "correct", **filled(review, changes, **more))


def test_cells_are_corrected_without_another_upload_and_the_file_stays_as_it_is(organizer, ida, draft):
    review = upload(organizer, draft, MISTAKEN)
    rows = edited(review)
    assert [problem.row for problem in rows[2]["rank"].problems] == [2]
    assert rows[3]["score"].has_errors
    assert rows[4]["handle"].has_errors
    fixed = {(2, "rank"): "1", (3, "score"): "200", (4, "handle"): "zoe"}
    review = correct(organizer, review, fixed)
    assert not review.context["errors"].count
    assert review.context["edited"].corrected == 3
    assert edited(review)[2]["rank"].was == "first"
    assert not organizer.get(reverse("organize:contest", args=[draft.pk])).context["contest"].standing_count
    save(organizer, review)
    assert handles(draft) == ["ann", "bob", "zoe"]
    kept = Upload.objects.get()
    with kept.file.open() as file:
        assert file.read().decode() == MISTAKEN
    assert [each["cells"] for each in kept.reading["corrections"]] == [{"0": "1"}, {"2": "200"}, {"1": "zoe"}]
    entry = AuditEntry.objects.get(action="contest.standings")
    assert entry.actor == ida
    assert entry.after["corrections"][1] == "row 3: corrected in the review: score “200” (was “many”)"


def test_many_errors_of_one_kind_are_counted_and_the_column_is_questioned(organizer, draft):
    rows = "".join(f"{rank},,{200 - rank}\n" for rank in range(1, 7))
    text = Page(upload(organizer, draft, f"rank,name,score\n{rows}7,gil,many\n")).text
    assert "6× name: The handle is empty" in text
    assert "1× score: " in text
    assert "Most of these errors are in the column “name”." in text
    few = Page(upload(organizer, draft, MISTAKEN)).text
    assert "×" not in few, "each is of a kind of its own"


def test_once_nothing_is_wrong_the_page_opens_at_its_top_with_the_save_button(organizer, draft):
    review = upload(organizer, draft, MISTAKEN)
    assert primary_buttons(review) == ["Check again"]
    review = correct(organizer, review, {(2, "rank"): "1"})
    assert review.redirect_chain[-1][0].endswith("#rows"), "more to correct"
    review = correct(organizer, review, {(3, "score"): "200", (4, "handle"): "zoe"})
    assert "#" not in review.redirect_chain[-1][0]
    assert primary_buttons(review) == ["Save as draft standings"]


def primary_buttons(review: Any) -> list[str]:
    html = review.content.decode()
    found = re.findall(r'<button class="[^"]*\bbutton-primary\b[^>]*>(.*?)</button>', html, re.DOTALL)
    return [" ".join(each.split()) for each in found]


def test_rows_to_fix_stand_apart_from_corrected_rows_and_rows_with_remarks(organizer, draft):
    review = upload(organizer, draft, "rank,handle,country\nDSQ,ann,DE\n2,bob,XX\nfirst,cy,DE\nlast,di,DE\n")
    review = correct(organizer, review, {(4, "rank"): "3"})
    table = review.content.decode().partition('<table class="table edited">')[2].partition("</table>")[0]
    heads = re.findall(r'scope="rowgroup"[^>]*>(.*?)</th>|name="seen_(\d+)"', table, re.DOTALL)
    assert [" ".join(name.split()) or int(row) for name, row in heads] == [
        5, "Corrected rows", 4, "Rows with warnings", 2, 3
    ]  # fmt: skip


def test_a_total_in_place_of_a_rank_can_be_left_out(organizer, draft):
    review = upload(organizer, draft, "Rank;Name;Points\n1;Ann;3\n2;Bob;1\nTotal;;4\n")
    assert "correct it, or leave the row out if it doesn’t belong to a participant" in Page(review).text
    save(organizer, correct(organizer, review, {}, leave_4="on"))
    assert handles(draft) == ["Ann", "Bob"]


def test_a_total_and_the_second_row_of_a_player_can_be_left_out(organizer, draft):
    review = upload(organizer, draft, "Name;Pkt.\nJörg Müller;7,5\nZoë Smith;7\nmuller, jorg;6\nSumme:;20,5\n")
    assert not review.context["errors"].count
    assert sorted(edited(review)) == [2, 4, 5]
    text = Page(review).text
    assert "This row looks like a total. If no player has this name, leave the row out." in text
    assert "“muller, jorg” and “Jörg Müller” in row 2 differ only in case, accents, punctuation or the order" in text
    review = correct(organizer, review, {}, leave_4="on", leave_5="on")
    assert edited(review).keys() == {4, 5}, "the other row of the player has no remark any more"
    save(organizer, review)
    assert handles(draft) == ["Jörg Müller", "Zoë Smith"]


@pytest.mark.parametrize(
    "names",
    [("Müller Jörg", "Mueller Joerg"), ("joerg mueller", "Jörg Müller"), ("Jörg Mueller", "Joerg Müller")],
)
def test_umlauts_that_are_spelt_out_are_remarked_upon(organizer, draft, names):
    page = Page(upload(organizer, draft, "handle,score\n{},9\nbo,8\n{},7\n".format(*names))).text
    assert f"“{names[1]}” and “{names[0]}” in row 2 may be two spellings of one name, like Müller and Mueller" in page


def test_names_in_the_wrong_encoding_have_one_remark(organizer, draft):
    text = Page(upload(organizer, draft, "rank,handle,name\n1,ZoÃ«,\n2,bob,\n")).text
    assert "“ZoÃ«” probably stands for “Zoë”: a program has read the name in the wrong encoding." in text
    several = "rank,handle,name\n1,zoe,ZoÃ« MÃ¼ller\n2,bob,\n3,ÅukaÅ¡,Ð˜Ð²Ð°Ð½\n"
    text = Page(upload(organizer, draft, several)).text
    assert "names were probably read in the wrong encoding by another program: “ZoÃ« MÃ¼ller”, for example" in text
    # In other words, the same name can be right.
    text = Page(upload(organizer, draft, "rank,handle\n1,MÃ¼ller Jörg\n2,bob\n")).text
    assert "“MÃ¼ller Jörg” probably stands for “Müller Jörg”" in text


def test_question_marks_in_place_of_letters_are_pointed_out(organizer, draft):
    text = Page(upload(organizer, draft, "rank,handle\n1,?ukasz ?ak\n2,Bob?\n")).text
    assert "In “?ukasz ?ak”, question marks may stand for letters that another program could not save." in text
    assert "question mark" not in Page(upload(organizer, draft, "rank,handle\n1,Bob?\n2,cy\n")).text
    for name in ("Zoë", "Ã Campo", "SÃO JOSÉ", "Łukasz", "Иван", "À«», Inc.", "José Å"):
        page = Page(upload(organizer, draft, f'rank,handle\n1,"{name}"\n2,bob\n')).text
        assert "wrong encoding" not in page, name


@pytest.mark.parametrize(
    ("rows", "is_asked"),
    [
        ("1,Ann / Bob\n2,Cem & Eve\n3,Kim und Max\n", True),
        ("1,Ann/Bob\n2,Cem + Eve\n3,kim\n", True),
        ("1,AC/DC\n2,ann\n3,bob\n4,Johnson & Johnson\n5,eve\n", False),
        ('1,Sandy\n2,Edmund\n3,"Lee, Ann"\n', False),
    ],
)
def test_rows_that_name_several_people_have_one_remark(organizer, draft, rows, is_asked):
    text = Page(upload(organizer, draft, f"rank,handle\n{rows}")).text
    assert text.count("Many rows seem to name several people, such as “Ann") == is_asked


def test_teams_with_such_names_have_no_remark(organizer, draft):
    rows = "rank,handle,team\n1,ann,Ann / Bob\n1,bob,Ann / Bob\n2,cem,Cem & Eve\n2,eve,Cem & Eve\n"
    assert "name several people" not in Page(upload(organizer, draft, rows)).text


def test_names_that_differ_in_more_than_their_spelling_have_no_remark(organizer, draft):
    twice = "rank,handle\n1,anna-lena\n2,Anna Lena\n"
    assert "differ only in case" in Page(upload(organizer, draft, twice)).text
    for text in (
        "rank,handle,country\n1,anna-lena,DE\n2,Anna Lena,PL\n3,Total,NO\n",
        "rank,handle\n1,***\n2,+++\n",
        "rank,handle\n1,anna-lena\n2,anna\n",
    ):
        page = Page(upload(organizer, draft, text)).text
        assert "differ only in case" not in page, text
        assert "looks like a total" not in page, text
    save(organizer, upload(organizer, draft, twice))
    known = upload(organizer, make_contest(draft.series, finalized=False), twice)
    assert "differ only in case" not in Page(known).text, "two known players are two"


def test_choices_of_players_are_stored_with_the_corrections_and_rejected_ones_named(organizer, draft):
    make_contest(draft.series, standings=[("annika", 1), ("bob", 2)])
    review = upload(organizer, draft, "rank,handle\nfirst,bob\n2,annikka\n")
    said = {"handle_0": "annikka", "who_0": "typed", "typed_0": "nobody-here"}
    review = correct(organizer, review, {(2, "rank"): "1"}, **said)
    assert "nobody-here" in Page(review).text
    assert not review.context["errors"].count, "the correction counts all the same"
    known = make_player("annika")
    review = correct(organizer, review, {}, handle_0="annikka", who_0=f"player-{known.pk}")
    assert [row.handle for row in review.context["people"] if row.meant] == ["annikka"]
    save(organizer, review)
    assert set(draft.standings.values_list("player__handle", flat=True)) == {"bob", "annika"}


def test_a_known_player_under_a_second_name_has_a_remark(organizer, draft):
    make_player("lena", name="Lena Vogt", country="DE")
    said = "is new, but “lena” in row 2 is a known player of that name. If they are the same person, leave out one"
    for rows, is_said in (
        ("1,lena,\n2,Lena Vogt,\n", True),
        ('1,lena,\n2,"Vogt, Lena",DE\n', True),
        ("1,lena,\n2,Lena Vogt,PL\n", False),
        ("1,bob,\n2,Lena Voght,\n", False),
    ):
        text = Page(upload(organizer, draft, f"rank,handle,country\n{rows}")).text
        assert (said in text) is is_said, rows


def test_undoing_one_row_applies_what_was_typed_in_the_others(organizer, draft):
    review = correct(organizer, upload(organizer, draft, MISTAKEN), {(2, "rank"): "1"})
    again = correct(organizer, review, {(3, "score"): "200"}, undo=2, leave_4="on")
    rows = edited(again)
    assert rows[2]["rank"].value == "first"
    assert (rows[3]["score"].value, rows[3]["score"].was) == ("200", "many")
    assert {row.number: row.is_left_out for row in again.context["edited"].page}[4]


def test_undoing_one_or_all_corrections_shows_the_file_again(organizer, draft):
    review = upload(organizer, draft, MISTAKEN)
    review = correct(organizer, review, {(2, "rank"): "1", (3, "score"): "200", (4, "handle"): "zoe"})
    one = press(organizer, review, "correct", undo=3)
    assert edited(one)[3]["score"].value == "many"
    assert [problem.row for problem in one.context["errors"].problems] == [3]
    retyped = correct(organizer, one, {(2, "rank"): "first"})
    assert retyped.context["edited"].corrected == 1, "retyping the file's own value is not a correction"
    for nonsense in ("x", "-1", "9" * 40):
        press(organizer, review, "correct", undo=nonsense)
    assert list(read_choices(review.context["staged"]).corrections) == [4]
    none = press(organizer, review, "correct", undo="all")
    assert none.context["edited"].corrected == 0
    assert none.context["errors"].count == 3


def test_a_cell_without_a_column_is_named_in_the_readers_language(organizer, draft):
    review = upload(organizer, draft, "rank,handle,score\n1,ann\n3,eve,100,7\n")
    page = organizer.get(review.request["PATH_INFO"], headers={"accept-language": "de"})
    assert "Zelle 4" in Page(page).text
    assert "cell 4" not in Page(page).text


def test_rows_with_missing_and_surplus_cells_and_open_quotes_are_corrected_whole(organizer, draft):
    review = upload(organizer, draft, 'rank,handle,score\n1,ann\n2,bob,200,\n3,eve,100,7\n4,"zoe,50\n')
    rows = edited(review)
    assert sorted(rows) == [2, 4, 5], "a surplus empty cell is not a problem"
    assert [cell.value for cell in rows[5].values()] == ["4", "zoe", "50"]
    same = correct(organizer, review, {})
    assert sorted(read_choices(same.context["staged"]).corrections) == [], "only what someone confirms is accepted"
    review = correct(organizer, review, {(2, "score"): "300", (4, "cell 4"): ""}, right_5="on")
    assert not review.context["errors"].count, review.context["errors"].problems
    save(organizer, review)
    assert AuditEntry.objects.get(action="contest.standings").after["corrections"] == [
        "row 2: corrected in the review: score “300”",
        "row 4: corrected in the review: column 4 “” (was “7”)",
        "row 5: confirmed in the review",
    ]
    assert handles(draft) == ["ann", "bob", "eve", "zoe"]
    assert list(draft.standings.order_by("place").values_list("score", flat=True)) == [300, 200, 100, 50]


def test_a_corrected_row_with_cells_of_ignored_columns_has_as_many_cells_as_the_head(organizer, draft):
    review = upload(organizer, draft, "rank,handle,score,remark\n1,ann,300,fine\n2,bob,200\n3,cy,x,late\n")
    review = correct(organizer, review, {(4, "score"): "100"}, right_3="on")
    assert not review.context["errors"].count, review.context["errors"].problems
    table = review.content.decode().partition('<table class="table edited">')[2].partition("</table>")[0]
    rows = re.findall(r"<tr.*?</tr>", table, re.DOTALL)
    cells = [re.findall(r"<t[hd]\b[^>]*>", row) for row in rows]
    assert [sum(int("".join(re.findall(r'colspan="(\d+)"', cell)) or 1) for cell in row) for row in cells] == [5] * 3
    assert "keep these cells as they are" not in Page(review).text, "they have been accepted"


def test_a_row_is_left_out_and_comes_back(organizer, draft):
    review = upload(organizer, draft, "rank,handle\n1,ann\n2,bob\n3,Ann\n")
    assert sorted(edited(review)) == [2, 4], "both rows of the same player"
    review = correct(organizer, review, {}, leave_4="on")
    assert not review.context["errors"].count
    review = press(organizer, review, "correct", undo=4)
    assert review.context["errors"].count == 1
    review = correct(organizer, review, {}, leave_4="on")
    save(organizer, review)
    assert handles(draft) == ["ann", "bob"]


def test_workbooks_and_tables_of_games_are_corrected_too(organizer, draft, series):
    book = openpyxl.Workbook()
    for row in (("Results of May",), ("Rank", "Handle", "Score"), (1, "ann", "=SUM(1,2)"), ("II", "bob", 7)):
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    review = upload(organizer, draft, file.getvalue(), "may.xlsx")
    assert sorted(edited(review)) == [3, 4]
    review = correct(organizer, review, {(3, "Score"): "9", (4, "Rank"): "2"})
    assert not review.context["errors"].count, review.context["errors"].problems
    remarks = organizer.get(reverse("organize:review-remarks", args=[draft.pk, review.context["staged"].token]))
    sheet = openpyxl.load_workbook(io.BytesIO(remarks.content)).active
    assert [cell.value for cell in sheet[4]][:4] == [
        "2", "bob", 7, "corrected in the review: Rank “2” (was “II”)"
    ]  # fmt: skip
    save(organizer, review)
    assert handles(draft) == ["ann", "bob"]
    games = make_contest(series, finalized=False)
    review = upload(organizer, games, "player_a,player_b,result\nann,bob,1-0\nbob,zoe,none\n")
    review = correct(organizer, review, {(3, "result"): "0-1"})
    assert review.context["review"].games.total == 2
    assert [row.handle for row in review.context["table"].rows][-1] == "bob"


def test_documents_are_fixed_in_the_file_as_before(organizer, draft):
    review = upload(organizer, draft, '{"standings": [{"rank": "x", "handle": "ann"}]}', "c.json")
    assert review.context["errors"].count
    assert not edited(review)
    assert "upload the file again" in Page(review).text
    assert press(organizer, review, "correct", cell_1_0="1", seen_1="").status_code == 200


def test_the_file_with_remarks_has_the_corrections_and_no_formulas(organizer, draft):
    review = upload(organizer, draft, MISTAKEN)
    review = correct(organizer, review, {(3, "handle"): "=cmd|' /C calc'!A0", (2, "rank"): "1"}, leave_4="on")
    remarks = organizer.get(reverse("organize:review-remarks", args=[draft.pk, review.context["staged"].token]))
    rows = list(csv.reader(io.StringIO(remarks.content.decode("utf-8-sig"))))
    assert "row 4 left out in the review" in rows[0][0]
    assert rows[1] == ["corrected in the review: rank “1” (was “first”)", "1", "ann", "300"]
    assert rows[2][2].startswith("'=cmd"), "a spreadsheet does not run it"
    assert len([row for row in rows if row]) == 3
    assert "error" in rows[2][0]


def test_names_are_data_in_the_form(organizer, draft):
    review = upload(organizer, draft, 'rank,handle\nx,"""><script>alert(1)</script>"\n')
    assert b"<script>alert(1)" not in review.content
    assert edited(review)[2]["handle"].value == '"><script>alert(1)</script>'


def test_a_row_that_another_organizer_corrected_meanwhile_is_not_overwritten(organizer, draft):
    mine = upload(organizer, draft, MISTAKEN)
    theirs = correct(organizer, mine, {(2, "rank"): "1"})
    assert read_choices(theirs.context["staged"]).corrections[2].cells == {0: "1"}
    answer = correct(organizer, mine, {(2, "rank"): "7", (3, "score"): "200"})
    assert "Someone else has corrected row 2 in the meantime" in Page(answer).text
    now = read_choices(mine.context["staged"]).corrections
    assert (now[2].cells, now[3].cells) == ({0: "1"}, {2: "200"}), "other rows are corrected"
    correct(organizer, answer, {(4, "handle"): "zoe"})
    stale = press(organizer, answer, "save", version=draft.version, stamp=mine.context["stamp"])
    assert "The review has changed since you opened it" in Page(stale).text
    assert not draft.standings.exists()


def test_outsiders_and_expired_files_correct_nothing(organizer, client, draft):
    review = upload(organizer, draft, MISTAKEN)
    said = filled(review, {(2, "rank"): "1"})
    staged = review.context["staged"]
    address = reverse("organize:review-correct", args=[draft.pk, staged.token])
    other = client.__class__()
    stranger = make_user("mallory")
    make_series("their-cup", organizer=stranger)
    other.force_login(stranger)
    assert other.post(address, said).status_code == 403
    assert organizer.get(address).status_code == 405
    assert not read_choices(staged).corrections
    discard_staged(staged.token)
    assert "This file is no longer stored" in Page(organizer.post(address, said, follow=True)).text


def test_rows_and_cells_that_were_not_offered_are_ignored_and_huge_ones_refused(organizer, draft):
    review = upload(organizer, draft, "rank,handle\nx,ann\n2,bob\n")
    staged = review.context["staged"]
    row = review.context["review"].offered.rows[0]
    seen = digest_of(row, None)
    for said in (
        {"cell_3_1": "eve", "seen_3": seen}, {"cell_2_999": "eve", "seen_2": seen}, {"cell_2_0": "1"},
        {"cell_99999999999999999999_0": "1"}, {"cell_x_y": "1"}, {"right_2": "on", "seen_2": seen}, {},
    ):  # fmt: skip
        assert press(organizer, review, "correct", **said).status_code == 200
        assert not read_choices(staged).corrections, said
    long = press(organizer, review, "correct", **{"cell_2_1": "a" * (LONGEST + 1), "seen_2": seen})
    assert f"at most {LONGEST} characters" in Page(long).text
    nulls = press(organizer, review, "correct", **{"cell_2_0": "1\0", "cell_2_1": "a\r\nnn", "seen_2": seen})
    assert read_choices(staged).corrections[2].cells == {0: "1", 1: "a nn"}
    assert not nulls.context["errors"].count


def test_corrections_survive_other_columns_but_not_another_sheet(organizer, draft):
    book = openpyxl.Workbook()
    book.active.title = "One"
    for sheet in (book.active, book.create_sheet("Two")):
        for row in (("rank", "handle", "points"), ("x", "ann", 5), (2, "bob", 3)):
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    review = correct(organizer, upload(organizer, draft, file.getvalue(), "two.xlsx"), {(2, "rank"): "1"})
    chosen = mapping(sheet="One", column_0="rank", column_1="handle", column_2="")
    review = press(organizer, review, "read", **chosen)
    assert not review.context["errors"].count
    review = press(organizer, review, "read", **{**chosen, "sheet": "Two"})
    assert "Podium undid your corrections: they were for the sheet “One”" in Page(review).text
    assert review.context["errors"].count == 1


def test_players_are_identified_while_there_are_errors(organizer, series, draft):
    known = make_player("alexander_k")
    make_contest(series, standings=[("alexander_k", 1), ("zoe", 2)])
    review = upload(organizer, draft, "rank,handle\nfirst,alexanderk\n2,zoe\n")
    assert review.context["errors"].count == 1
    (person,) = review.context["review"].unmatched
    assert [each.player_id for each in person.suggestions] == [known.pk]
    review = decide(organizer, review, handle_0="alexanderk", who_0=f"player-{known.pk}")
    assert review.context["errors"].count == 1
    assert not review.context["table"].total
    save(organizer, correct(organizer, review, {(2, "rank"): "1"}))
    assert handles(draft) == ["alexander_k", "zoe"]
