"""CSV, TSV and the like: rejected tables, with place and remedy."""

from __future__ import annotations

import pytest

from contests.formats import ParseError, read_contests
from contests.formats.base import Report
from contests.formats.table.options import ReadingOptions
from tests.contests.formats.reading import errors_of, one_error, read


def places(problems):
    return [(problem.row, problem.column) for problem in problems]


@pytest.mark.parametrize(
    ("ranks", "row", "found", "expected"),
    [
        ("1,1,2,4", 4, "2", "expected rank 3"),
        ("1,2,2,3,3,6", 5, "3", "expected rank 4 here; 1 row below needs a different rank too"),
        ("3,1,4", 2, "3", "expected rank 2"),
        ("4,2,3", 3, "2", "expected rank 1"),
        # The row out of order repeats a rank: this rank is wrong, not those below it.
        ("1,2,3,4,5,2", 7, "2", "line 3 has rank 2 too, so the ranks after 2"),
        ("4,1,2,3,4,5", 2, "4", "line 6 has rank 4 too"),
        ("1,2,3,2,5", 5, "2", "line 3 has rank 2 too"),
        ("1,5,3,4,5", 3, "5", "line 6 has rank 5 too"),
        ("1,2,2,4,1,6", 6, "1", "line 2 has rank 1 too"),
    ],
)
def test_a_rank_that_does_not_follow_is_named_with_the_one_expected(ranks, row, found, expected):
    table = "".join(f"{rank},p{i}\n" for i, rank in enumerate(ranks.split(",")))
    problem = one_error(f"rank,handle\n{table}")
    assert (problem.row, problem.column, problem.value) == (row, "rank", found)
    assert expected in problem.message.lower()


def test_a_gap_in_rows_out_of_order_is_an_error_with_a_remedy():
    remedy = "If the rows with the ranks in between are missing on purpose, sort the table by rank."
    assert remedy in one_error("rank,handle\n2,ann\n1,bob\n4,cy\n").message
    assert remedy not in one_error("rank,handle\n1,ann\n1,bob\n2,cy\n4,di\n").message


@pytest.mark.parametrize(
    ("ranks", "counted", "row", "found"),
    [
        ("1,1,2", [1, 1, 3], 4, "2"),
        ("1,2,2,3", [1, 2, 2, 4], 5, "3"),
        ("1,2,2,3,3,3,4,5", [1, 2, 2, 4, 4, 4, 7, 8], 5, "3"),
        ("1,2,,2,3,", [1, 2, None, 2, 4, None], 6, "3"),
    ],
)
def test_ranks_without_a_gap_after_ties_become_competition_ranks_with_a_warning(ranks, counted, row, found):
    table = "".join(f"{rank},p{i},{'' if rank else 'unofficial'}\n" for i, rank in enumerate(ranks.split(",")))
    (contest,), report = read(f"rank,handle,status\n{table}")
    assert [standing.place for standing in contest.standings] == counted
    assert [(problem.row, problem.column, problem.value) for problem in report.warnings] == [(row, "rank", found)]
    assert "continue without a gap after a tie" in report.warnings[0].message


def test_an_empty_cell_too_many_is_a_remark_only_where_other_rows_have_none():
    head = "rank,handle,country,score\n"
    shifted = read(head + "1,ann,DE,3\n2,Sainz, Carlos,,\n3,bob,FR,1\n")[1]
    assert [problem.row for problem in shifted.warnings if "the header has 4" in problem.message] == [3]
    many = "".join(f"{rank},p{rank},,{100 - rank}{',' if rank < 30 else ''}\n" for rank in range(1, 100))
    warnings = [one for one in read(head + many)[1].warnings if "the header has 4" in one.message]
    assert [problem.row for problem in warnings] == [2]
    assert "the same happens in 28 more rows" in warnings[0].message
    exported = read(head + "1,ann,DE,3,\n2,eve,,2,\n3,bob,FR,1,\n")[1]
    assert not any("the header has 4" in problem.message for problem in exported.warnings)


@pytest.mark.parametrize("rank", ["1000000001", "99999999999", "9" * 30])
def test_a_rank_above_the_limit_is_told_the_limit(rank):
    problem = one_error(f"rank,handle\n1,ann\n{rank},bob\n")
    assert (problem.row, problem.value) == (3, f"“{rank}”")
    assert problem.message == "A rank is a whole number from 1 to 1,000,000,000; correct it."


def test_one_wrong_rank_is_one_error_though_all_below_are_off():
    table = "".join(f"{rank},p{rank}\n" for rank in [2, 1, *range(4, 100)])
    assert "95 rows below need a different rank too" in one_error(f"rank,handle\n{table}").message


@pytest.mark.parametrize(
    ("ranks", "row", "found", "would_follow", "closed_up"),
    [
        ("1,2,4", 4, "4", "3 was expected", [1, 2, 3]),
        ("2,3,4", 2, "2", "1 was expected", [1, 2, 3]),
        ("1,1,5,5,9", 4, "5", "3 was expected (the same happens in 1 more row)", [1, 1, 3, 3, 5]),
    ],
)
def test_a_skipped_rank_in_sorted_rows_gives_a_remark(ranks, row, found, would_follow, closed_up):
    table = "".join(f"{rank},p{i}\n" for i, rank in enumerate(ranks.split(",")))
    contests, report = read(f"rank,handle\n{table}")
    assert [(p.row, p.column, p.value) for p in report.warnings] == [(row, "rank", found)]
    assert would_follow in report.warnings[0].message
    assert report.errors == []
    assert contests[0].ranks == closed_up


def test_a_skipped_rank_does_not_excuse_a_wrong_rank_below_it():
    contests, report = read("rank,handle\n1,a\n4,b\n4,c\n5,d\n")
    assert contests == []
    assert [(p.row, p.value) for p in report.errors] == [(5, "5")]
    assert "expected rank 6" in report.errors[0].message.lower()
    assert [(p.row, p.value) for p in report.warnings] == [(3, "4")]


def test_ranks_that_are_dense_only_here_and_there_are_an_error_at_every_tie():
    table = "".join(f"{rank},p{i}\n" for i, rank in enumerate([1, 1, 2, 2, 3, 4, 7]))
    assert [p.value for p in errors_of(f"rank,handle\n{table}")] == ["2", "3"]


def test_a_rank_that_contradicts_its_score_is_named():
    problem = one_error("rank,handle,score\n1,a,10\n2,b,20\n3,c,9\n4,d,8\n")
    assert (problem.row, problem.column, problem.value) == (3, "score", "“20”")
    assert "line 2" in problem.message


def test_scores_within_a_tie_are_compared_with_those_of_other_ranks():
    problem = one_error("rank,handle,score\n1,a,30\n2,b,25\n2,c,10\n4,d,20\n5,e,5\n")
    assert (problem.row, problem.value) == (5, "“20”")
    assert "line 4" in problem.message


def test_equal_players_are_found_whatever_their_case_and_normal_form():
    problem = one_error("rank,handle\n1,Zoë\n2,bob\n3,ZOE\u0308\n")
    assert (problem.row, problem.column) == (4, "handle")
    assert "line 2 has the handle “Zoë” (upper and lower case count as the same); keep only one" in problem.message
    problem = one_error("rank,handle\n1,Zoë\n2,bob\n3,ZOË\n", calls_lines_rows=True)
    assert "row 2 has the handle “Zoë”" in problem.message


@pytest.mark.parametrize(
    ("header", "column", "hint"),
    [
        ("rank,handle,scroe", "scroe", "did you mean score"),
        ("rank,handle,shoe size", "shoe size", "delete it"),
        ("rank,handle,hadle", "hadle", "column: rename"),
        ("rank,handle,Paid?", "Paid?", "column: rename"),
    ],
)
def test_an_unknown_column_is_named_with_the_most_similar_one(header, column, hint):
    problem = one_error(f"{header}\n1,a,1\n")
    assert (problem.row, problem.column) == (1, column)
    assert hint in problem.message


def test_columns_that_mean_the_same_are_refused():
    problem = one_error("rank,user,player\n1,a,b\n")
    assert (problem.row, problem.column) == (1, "player")
    assert "“user” and “player” both mean handle" in problem.message


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("rank,score\n1,2\n", "add a column “handle”"),
        ("handle,country\na,DE\n", "no ranks, scores or times"),
        ("1,tourist\n2,petr\n", "must name the columns"),
        ("rank,handle\n", "no rows"),
        ("rank,handle\n\n,\n", "no rows"),
        ("", "empty"),
        ("\n \n\r\n", "empty"),
        ("rank,,handle\n1,x,a\n", "column 2 has no name"),
    ],
)
def test_a_table_without_what_it_needs_is_refused(content, words):
    assert words in one_error(content).message.lower()


def test_rows_of_a_different_length_are_named_and_do_not_hide_other_problems():
    problems = errors_of("rank,handle\n1,a,b\n2\nx,c\n4,C\n")
    assert places(problems) == [(2, None), (3, None), (4, "rank"), (5, "handle")]


@pytest.mark.parametrize(
    "cell", ["nan", "NaN", "inf", "-Infinity", "∞", "1e999", "1e400", "#DIV/0!", "12x", "1_000", "0x10"]
)
def test_a_score_that_is_not_a_finite_number_is_refused(cell):
    problem = one_error(f"handle,score\na,5\nb,{cell}\n")
    assert (problem.row, problem.column) == (3, "score")


@pytest.mark.parametrize("cell", ["0", "-1", "2.5", "x", "99999999999", "1e2", "3-1", "²", "1" * 500])
def test_a_rank_that_is_not_a_whole_number_is_refused(cell):
    problem = one_error(f"rank,handle\n1,a\n{cell},b\n")
    assert (problem.row, problem.column) == (3, "rank")


@pytest.mark.parametrize(
    "table", ['handle\tscore\na\t"1,234"\nb\t7\n', 'handle,score\na,"1,234"\nb,7\n', "handle;score\na;1.234\nb;7,5\n",
     "handle;score\na;1.234\nb;990\n", "handle,score\na,1.234\nb,990\n", "handle\tscore\na\t1.234\nb\t990\n",
     "handle\tscore\na\t1.234\nb\t1.234.567\n"]
)  # fmt: skip
def test_a_number_that_can_mean_two_things_is_refused(table):
    problem = one_error(table)
    assert (problem.row, problem.column) == (2, "score")
    assert "can mean 1234 or 1.234" in problem.message


@pytest.mark.parametrize(
    ("table", "scores"),
    [
        ("handle;score\na;9.876\nb;12.345\n", {"a": 9.876, "b": 12.345}),
        ("handle;score\na;1.234\nb;2.5\nc;99\n", {"a": 1.234, "b": 2.5, "c": 99.0}),
        ("handle,score\na,1.234\nb,1990\n", {"a": 1.234, "b": 1990.0}),
    ],
)
def test_decimal_points_that_nothing_puts_in_doubt_are_read(table, scores):
    (contest,), report = read(table)
    assert not report.errors
    assert {row.handle: row.score for row in contest.standings} == scores


@pytest.mark.parametrize(
    ("points", "said"),
    [(("1.300", "12.050"), "the point in 1.300 as a decimal"), (("1.3", "12.050"), None), (("1300", "12"), None)],
)
def test_points_that_could_all_separate_thousands_are_remarked_upon_once(points, said):
    _, report = read("handle;score\n" + "".join(f"p{i};{cell}\n" for i, cell in enumerate(points)))
    found = [p.message for p in report.warnings if "decimal point" in p.message]
    assert [said in message for message in found] == ([] if said is None else [True])


def test_times_with_three_decimals_are_not_doubted():
    _, report = read("rank,handle,time\n1,ann,59.123\n2,bob,60.500\n")
    assert report.warnings == []


def test_a_chosen_separator_settles_what_a_point_is():
    table = "handle\tscore\na\t1.234\nb\t990\nc\t1\n"
    for comma, score in ((True, 1234.0), (False, 1.234)):
        (contest,), report = read(table, options=ReadingOptions(decimal_comma=comma))
        assert (contest.standings[0].score, report.warnings) == (score, [])


@pytest.mark.parametrize(
    ("table", "row", "column"),
    [
        ("rank,handle\n1,a\n,b\n", 3, "rank"),
        ("handle,score\na,1\nb,\n", 3, "score"),
        ("rank,handle,status\n1,a,weird\n", 2, "status"),
    ],
)
def test_a_row_that_is_ranked_needs_its_rank_or_score(table, row, column):
    assert places([one_error(table)]) == [(row, column)]


@pytest.mark.parametrize("name", ["a\x07b", "\x7f", "a\x85\x86", "\u0378", "\u200b", "\u3164", "x" * 129])
def test_a_name_that_cannot_be_shown_is_refused(name):
    problem = one_error(f"rank,handle\n1,ok\n2,{name}\n")
    assert (problem.row, problem.column) == (3, "handle")


def test_invisible_and_right_to_left_characters_are_removed_with_a_warning():
    contests, report = read("rank,handle\n1,\u202eevil\n2,\ufeffx\u200b\n3,a\u2066b\n")
    assert [row.handle for row in contests[0].standings] == ["evil", "x", "ab"]
    assert [p.row for p in report.warnings] == [2, 3, 4]


def test_a_player_who_occurs_twice_after_removing_invisible_characters_is_refused():
    assert places(errors_of("rank,handle\n1,evil\n2,\u202eevil\n")) == [(3, "handle")]


def test_quotes_gone_wrong_are_named_by_line():
    assert places(errors_of('rank,handle\n1,"a"b\n2,c\n3,d\n')) == [(2, None)]
    assert places(errors_of('rank,handle\n1,a\n2,"b\n3,c\n')) == [(3, None)]


def test_bytes_of_another_encoding_in_a_utf8_file_are_named_by_line():
    problem = one_error("rank,handle\n1,Zoë\n2,日本\n".encode() + b"3,Zo\xeb\n")
    assert problem.row == 4
    assert "0xEB" in problem.message


def test_all_problems_are_reported_together_but_no_more_than_can_be_read():
    bad = "".join(f"x{i},p{i}\n" for i in range(5_000))
    contests, report = read(f"rank,handle\n{bad}")
    assert contests == []
    assert (len(report.errors), report.error_count) == (1_000, 5_000)
    assert report.lines()[-1] == "… and 4,000 more errors"
    report = Report(errors_left_out=1, warnings_left_out=1)
    assert report.lines() == ["… and 1 more error", "… and 1 more warning"]


def test_read_contests_raises_one_error_with_all_problems():
    with pytest.raises(ParseError) as caught:
        read_contests(b"rank,handle\n0,a\n2,\n", filename="x.csv")
    assert [p.row for p in caught.value.problems] == [2, 3]
    assert str(caught.value).count("\n") == 1


def test_the_error_about_a_time_shows_how_to_write_times():
    problem = one_error("rank,handle,time\n1,ann,1h04\n")
    assert problem.message == (
        "This is neither a number nor a time; enter a time such as 58:12 or 1:02:33, or a number such as 1234.5, or "
        "leave the cell empty."
    )
    assert "such as 1234.5, or leave the cell empty" in one_error("rank,handle,score\n1,ann,1h04\n").message
    assert "this is a date" in one_error("rank,handle,time\n1,ann,1/2/2025\n").message.lower()


def test_english_thousands_in_a_file_with_semicolons_are_errors_until_the_separator_is_chosen():
    table = "Name;Points\nAnn;1,234\nBo;987\nCy;12,500\n"
    first, second = errors_of(table)
    assert [(each.row, each.value) for each in (first, second)] == [(2, "“1,234”"), (4, "“12,500”")]
    assert first.message.startswith("1,234 can mean 1234 or 1.234; write it without thousands separators")
    for comma, score in ((True, 1.234), (False, 1234.0)):
        (contest,), _ = read(table, options=ReadingOptions(decimal_comma=comma))
        assert contest.standings[0].score == score


@pytest.mark.parametrize("others", [("87", "12,500"), ("987", "12,5"), ("987", "0,500"), ("987,5", "12,500")])
def test_decimal_commas_beside_smaller_or_other_numbers_stay_decimal(others):
    (contest,), _ = read("Name;Points\nAnn;1,234\nBo;{}\nCy;{}\n".format(*others))
    assert [row.score for row in contest.standings] == [1.234, *(float(text.replace(",", ".")) for text in others)]


@pytest.mark.parametrize(
    ("cell", "words", "is_date"),
    [
        ("38/40", "if it means 38 of 40 points, enter only 38", False),
        ("7,5/10", "if it means 7,5 of 10 points, enter only 7,5", False),
        ("9/10", "if it means 9 of 10 points, enter only 9. it may also be a date: spreadsheets turn", True),
        ("40.13.99", "this is not a number; enter", False),
        ("1.02.33", "this is a date, not a number", True),
        ("31/12/2024", "this is a date, not a number", True),
        ("2024-12-31", "this is a date, not a number", True),
    ],
)
def test_what_cannot_be_a_date_is_not_called_one(cell, words, is_date):
    message = one_error(f"handle;score\nann;{cell}\n").message.lower()
    assert words in message
    assert ("date" in message) == is_date


@pytest.mark.parametrize("cell", ["1.02.33", "12.05.59"])
def test_times_with_points_are_not_called_dates(cell):
    assert "enter a time such as 58:12" in one_error(f"rank;handle;time\n1;ann;{cell}\n").message
