"""CSV, TSV and the like: valid tables."""

from __future__ import annotations

import gzip
import io

import pytest

from contests.formats import read_contests, sketch
from contests.formats.countries import country_code
from contests.formats.table.escape import cell_safe, csv_safe, csv_unescaped
from tests.contests.formats.reading import one_error, read, read_one


def rows(contest):
    return [(row.place, row.handle, row.score) for row in contest.standings]


def test_a_plain_table_gives_every_field():
    contest = read_one(
        "Rank,Handle,Score,Name,Country,Status,Penalty\n"
        "1,ann,12.5,Ann Lee,Germany,,30\n2,bob,,Bob,,unofficial,\n,eve,3,Eve,USA,DQ,1:02:03\n"
    )
    assert [tuple(row)[:9] for row in contest.standings] == [
        (1, "ann", 12.5, "ranked", "Ann Lee", "DE", "", 30.0, 2),
        (2, "bob", None, "unofficial", "Bob", "", "", None, 3),
        (None, "eve", 3.0, "disqualified", "Eve", "US", "", 3723.0, 4),
    ]
    assert contest.ranks == [1, None, None]
    assert contest.key == ""
    assert contest.ends_at is None
    assert not contest.has_teams


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("extension", ["csv", "tsv", "txt"])
def test_delimiter_and_line_ends_are_detected(delimiter, end, extension):
    text = end.join([delimiter.join(cells) for cells in (("rank", "user"), ("1", "ann"), ("", ""), ("2", "bob"))])
    assert rows(read_one(text, f"standings.{extension}")) == [(1, "ann", None), (2, "bob", None)]


@pytest.mark.parametrize("header", ["Pos", "PLACE", "#", " rang ", "Final_Rank", "position"])
@pytest.mark.parametrize("who", ["User Name", "player", "nick", "LOGIN", "Contestant", "participant"])
def test_headers_are_known_by_their_usual_names(header, who):
    assert rows(read_one(f"{who},{header}\nann,1\n")) == [(1, "ann", None)]


def test_names_serve_as_handles_where_there_are_none():
    contests, report = read("rank,name\n1,Ann Lee\n")
    assert contests[0].standings[0].handle == "Ann Lee"
    assert [(p.row, p.column) for p in report.warnings] == [(1, "name")]


@pytest.mark.parametrize(
    ("header", "row", "handle", "name"),
    [
        ("Platz;Nachname;Vorname", "1;Müller;Anna", "Anna Müller", ""),
        ("Platz;Name;Vorname", "1;Müller;Anna", "Anna Müller", ""),
        ("Place;Name;Surname", "1;Anna;Müller", "Anna Müller", ""),
        ("Place;First name;Last name", "1; Anna ;", "Anna", ""),
        ("Place;Vorname;Team", "1;Anna;red", "Anna", ""),
        ("Place;Surname;First", "1;Müller;Anna", "Anna Müller", ""),
        ("Place;Last;First", "1;Müller;Anna", "Anna Müller", ""),
        ("Place;First name;Last", "1;Anna;Müller", "Anna Müller", ""),
        ("Place;Nick;First;Last", "1;amu;Anna;Müller", "amu", "Anna Müller"),
        ("Clt;Nom;Prénom", "1;Müller;Anna", "Anna Müller", ""),
        ("Rang;Nom", "1;Anna Müller", "Anna Müller", ""),
        ("Rang;Nom Prénom", "1;Müller Anna", "Müller Anna", ""),
        ("Platz;Athletin", "1;Anna Müller", "Anna Müller", ""),
        ("Rank;Driver;Country", "1;Anna Müller;DE", "Anna Müller", ""),
        ("Posição;Nome;Sobrenome", "1;Anna;Müller", "Anna Müller", ""),
        ("Clasificación;Apellidos y nombre", "1;Müller Anna", "Müller Anna", ""),
        ("Miejsce;Zawodnik;Drużyna", "1;Anna Müller;red", "Anna Müller", ""),
        ("Place;Login;Family name;Given name", "1;amue;Müller;Anna", "amue", "Anna Müller"),
    ],
)
def test_first_and_last_names_are_joined(header, row, handle, name):
    first = read_one(f"{header}\n{row}\n").standings[0]
    assert (first.handle, first.name) == (handle, name)


@pytest.mark.parametrize("head", ["Place;Nick;First;Score", "Place;Nick;Last;Score", "Place;Name;First;Last"])
def test_first_and_last_alone_or_beside_names_are_no_names(head):
    columns = sketch(f"{head}\n1;ann;7;8\n".encode(), filename="a.csv").columns
    assert [column.field for column in columns if column.name in ("First", "Last")] == [""] * head.count("st")


def test_first_names_alone_are_remarked_upon():
    _, report = read("rank,first name\n1,Anna\n")
    assert ["with the same first name would be one player" in p.message for p in report.warnings] == [True]


@pytest.mark.parametrize("header", ["Zeit", "Gesamtzeit", "temps", "Finish time"])
def test_times_are_known_by_their_usual_names(header):
    contest = read_one(f"Platz;Name;{header}\n1;Ann;1:02:03\n2;Bo;1:05:00,5\n")
    assert [row.penalty for row in contest.standings] == [3723.0, 3900.5]
    assert contest.has_times
    assert not read_one(f"Platz;Name;{header}\n1;Ann;3723\n2;Bo;3900,5\n").has_times


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("58'12\"", 3492.0), ("58'12", 3492.0), ("58’12”", 3492.0), ("58′ 12,5″", 3492.5), ("58'12''", 3492.0),
        ("1h04m10s", 3850.0), ("1h 04min 10s", 3850.0), ("1 h 4 min 10 sec", 3850.0), ("1 Std. 4 Min. 10 Sek.", 3850.0),
        ("1h04'10\"", 3850.0), ("58 min 12", 3492.0), ("58min12.5s", 3492.5), ("58.90s", 58.9), ("58,9 sec", 58.9),
        ("4'02\"10", 242.1), ("4’02”5", 242.5), ("4'02''10", 242.1), ("3:05 h", 11100.0), ("3:05:10 h", 11110.0),
        ("3:05 Std.", 11100.0), ("62:03 min", 3723.0), ("4:01,33 min", 241.33),
    ],
)  # fmt: skip
def test_times_can_have_units(text, seconds):
    contest = read_one(f"Platz;Name;Zeit\n1;Ann;50:00\n2;Bo;{text}\n")
    assert [row.penalty for row in contest.standings] == [3000.0, seconds]
    assert read_one(f"Platz;Name;Zeit\n1;Ann;{text}\n").has_times


@pytest.mark.parametrize("text", ["4'72\"10", "3:72 h", "1:02:03 min", "3:05,5 h", "3:72:10 h", "4.01,33", "3 h"])
def test_times_without_a_clear_meaning_are_errors(text):
    assert "neither a number nor a time" in one_error(f"Platz;Name;Zeit\n1;Ann;{text}\n").message


@pytest.mark.parametrize("text", ["1'234", "12'345.5"])
def test_apostrophes_between_thousands_are_no_times(text):
    contest = read_one(f"Platz;Name;Zeit\n1;Ann;{text}\n")
    assert (contest.standings[0].penalty, contest.has_times) == (float(text.replace("'", "")), False)


@pytest.mark.parametrize(
    ("name", "is_doubted"),
    [
        ("Grand Total", True), ("Team total 2", True), ("Gesamtergebnis", True), ("Subtotal", True),
        ("Zwischensumme:", True), ("Summe", True), ("Totally Spies", False), ("Sum Ting", False), ("Ann", False),
        ("Max. points", True), ("Max points (50)", True), ("Maximum", True), ("Summary", True), ("Median", True),
        ("Standard deviation", True), ("Std. dev.", True), ("Écart-type", True), ("Ø", True), ("Max.", True),
        ("Max", False), ("Min", False), ("Max Miller", False), ("Max1", False), ("Score Max", False),
    ],
)  # fmt: skip
def test_rows_that_look_like_totals_are_remarked_upon(name, is_doubted):
    _, report = read(f"handle,score\nbo,3\n{name},9\n")
    assert [p.row for p in report.warnings if "looks like a total" in p.message] == ([3] if is_doubted else [])


@pytest.mark.parametrize(
    ("names", "doubted"),
    [
        (("Max", "Min"), [3, 4]), (("Max", "Ann"), []), (("Max", "Average"), [3, 4]), (("Max", "max"), []),
        (("Min", "Min Lee"), []),
    ],
)  # fmt: skip
def test_max_and_min_are_names_unless_another_row_is_such_a_figure(names, doubted):
    _, report = read("handle,score\nbo,3\n" + "".join(f"{name},9\n" for name in names))
    assert [p.row for p in report.warnings if "looks like a total" in p.message] == doubted


def test_only_rows_without_a_rank_look_like_totals():
    _, report = read("rank,team,solved\n1,Summary,3\n2,bo,2\n-,Average,9\n,Maximum,9\n")
    assert [p.row for p in report.warnings if "looks like a total" in p.message] == [4, 5]


def test_a_row_without_a_handle_has_its_name_for_one():
    contests, report = read("rank,handle,name\n1,ann,Ann Lee\n2,,Grace Lee\n")
    assert [(row.handle, row.name) for row in contests[0].standings] == [("ann", "Ann Lee"), ("Grace Lee", "Grace Lee")]
    assert [(p.row, p.column, p.message) for p in report.warnings] == [
        (3, "handle", "This row has no handle, so Podium uses the name as the handle.")
    ]
    for table in ("rank,handle,name\n1,ann,Ann\n,,Sum\n", "handle,name,score\nann,Ann,3\n,Total,3\n"):
        assert {p.row for p in read(table)[1].errors} == {3}, "neither a participant without a rank nor a total"


def test_times_alone_rank_the_players():
    contests, report = read("Name;Zeit\nAnn;1:02:03\nBo;58:20\nCy;DNF\nDee;58:20\n")
    assert [(row.handle, row.place) for row in contests[0].standings] == [
        ("Ann", 3), ("Bo", 1), ("Cy", None), ("Dee", 1)
    ]  # fmt: skip
    assert ["lowest value first" in p.message for p in report.warnings if p.column == "Zeit"].count(True) == 1


def test_a_player_without_a_time_where_times_rank_is_an_error():
    problem = one_error("Name;Zeit\nAnn;1:02:03\nBo;\n")
    assert (problem.row, problem.column) == (3, "Zeit")
    assert "no time" in problem.message


def test_times_of_zero_that_win_are_remarked_upon():
    zeros = "handle,time\nann,20:01\nbob,0:00\neve,0:00:00\n"
    assert [p.row for p in read(zeros)[1].warnings if "is zero" in p.message] == [3]
    # The winner of a list with gaps.
    for clear in ("rank,handle,time\n1,ann,0:00\n2,bob,0:10\n", "handle,penalty\nann,0\nbob,2\n"):
        assert [p for p in read(clear)[1].warnings if "is zero" in p.message] == []


def test_equal_ranks_with_different_times_are_remarked_upon():
    _, report = read("rank,handle,time\n1,ann,20:00\n1,bob,25:00\n3,eve,26:00\n")
    assert [(p.row, p.message) for p in report.warnings] == [
        (3, "Players with different times share rank 1; Podium uses the ranks.")
    ]


@pytest.mark.parametrize(
    ("scores", "is_doubted"),
    [((-12, -4, 0), True), ((5, 5, 9), True), ((9, 5), False), ((5, 5), False), ((4, 9, 5), False)],
)
def test_scores_alone_that_begin_with_the_lowest_are_remarked_upon(scores, is_doubted):
    _, report = read("handle,score\n" + "".join(f"p{i},{score}\n" for i, score in enumerate(scores)))
    assert ["If the lowest score wins" in p.message for p in report.warnings] == [True] * is_doubted


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (("1:02:03", "1:03:10", "1:03:10"), []),
        (("1:02:03", "1:04", "1:05"), [(3, "Rank 2 has a shorter time than rank 1 (line 2)")]),
        (("1:02:03", "1:04", "1:01"), [(3, "Rank 2 has a shorter time than rank 1 (line 2) (the same happens in 1")]),
        # Only numbers may be anything, such as fines.
        (("90", "10", "5"), []),
    ],
)
def test_times_that_contradict_ranks_are_remarked_upon_once(times, said):
    _, report = read("rank,handle,time\n" + "".join(f"{i},p{i},{time}\n" for i, time in enumerate(times, 1)))
    found = [(p.row, p.message) for p in report.warnings]
    assert [row for row, _ in found] == [row for row, _ in said]
    for (_, message), (_, start) in zip(found, said, strict=True):
        assert message.startswith(start)


@pytest.mark.parametrize(
    ("table", "rows_named"),
    [
        ("rank,handle,time\n1,ann,1:02:33\n2,bob,1:10:00\n3,eve,58:12:00\n", (4, "line 2")),
        ("handle,time\nann,58:12:00\nbob,1:02:33\nkim,DNF\n", (2, "line 3")),
        ("rank,handle,time\n1,ann,1:02.33\n2,bob,58:12\n", (3, "line 2")),
        ("rank,handle,time\n1,ann,4:02:33\n2,bob,48:12:00\n", None),
        ("rank,handle,time\n1,ann,0:00\n2,bob,0:10\n", None),
        ("rank,handle,score,time\n1,ann,2,1:02:33\n2,bob,1,58:12:00\n", None),
        ("rank,handle,time\n1,ann,10\n2,bob,1000\n", None),
    ],
)
def test_times_far_apart_are_remarked_upon_once_with_both_rows(table, rows_named):
    _, report = read(table)
    found = [(p.row, p.message) for p in report.warnings if p.message.startswith("This time is ")]
    if rows_named is None:
        assert found == []
    else:
        row, where = rows_named
        assert found == [
            (
                row,
                f"This time is 56 times as long as the one in {where}. Check both: 58:12 means 58 minutes and 12 "
                "seconds, and 58:12:00 means 58 hours and 12 minutes.",
            )
        ]


def test_a_whole_name_beside_its_parts_is_a_question():
    problem = one_error("rank,name,first name,last name\n1,Ann Lee,Ann,Lee\n")
    assert (problem.row, problem.column) == (1, "first name")
    assert "both contain names" in problem.message


def test_rows_without_any_part_of_a_name_are_errors():
    problem = one_error("rank,first name,last name\n1,Ann,Lee\n2,,\n")
    assert (problem.row, problem.column) == (3, "last name")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_the_encoding_is_detected(encoding):
    contests, report = read("rank;handle\n1;Zoë\n2;Señor Größe\n".encode(encoding))
    assert [row.handle for row in contests[0].standings] == ["Zoë", "Señor Größe"]
    assert ["Windows-1252" in p.message for p in report.warnings] == ([True] if encoding == "cp1252" else [])


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_detected_even_if_a_letter_has_its_zero_byte_in_the_other_position(encoding):
    assert rows(read_one("rank,handle\n1,Ā\n2,\u4e00\n".encode(encoding))) == [(1, "Ā", None), (2, "\u4e00", None)]


def test_two_byte_order_marks_are_left_out_with_a_warning():
    contests, report = read("\ufeff\ufeffrank,handle\n1,ann\n")
    assert rows(contests[0]) == [(1, "ann", None)]
    assert ["2 byte order marks" in p.message for p in report.warnings] == [True]


@pytest.mark.parametrize(
    ("cells", "delimiter", "scores"),
    [
        (["12,5", "3"], ";", [12.5, 3.0]),
        (["1,234", "0"], ";", [1.234, 0.0]),
        (["1.234,5", "7,25"], ";", [1234.5, 7.25]),
        (["1,234.5", "1,000"], "\t", [1234.5, 1000.0]),
        (["1,234,567", "2"], "\t", [1234567.0, 2.0]),
        (["1 234,5", "12"], ";", [1234.5, 12.0]),
        (["1'234.5", "12"], ",", [1234.5, 12.0]),
        (["1\u00a0234", "12"], ",", [1234.0, 12.0]),
        (["7", "-3.5e0"], ",", [7.0, -3.5]),
        (["7", "\u22123"], ",", [7.0, -3.0]),
        (["4½", "½"], ",", [4.5, 0.5]),
        (["4 1/2", "4 ½"], ";", [4.5, 4.5]),
    ],
)
def test_numbers_are_read_in_the_notation_of_their_column(cells, delimiter, scores):
    table = f"handle{delimiter}score\na{delimiter}{cells[0]}\nb{delimiter}{cells[1]}\n"
    assert [row.score for row in read_one(table).standings] == scores


@pytest.mark.parametrize(
    "text",
    [
        "3", "3.", "3rd", "T3", "=3", "3=", "#3", "T-3", "3-4", "3–4", "3.0", "tied 3", "3e", "3ème", "3eme", "3T",
        "3 (tie)", "3 (tied)", "3rd (t)", "3 ex aequo", "3. ex æquo", "3ex", "3 ex", "3e ex-aequo", "Joint 3rd",
    ],
)  # fmt: skip
def test_ranks_are_read_however_they_are_written(text):
    contest = read_one(f"rank,handle\n1,a\n2,b\n{text},c\n{text},d\n")
    assert [row.place for row in contest.standings] == [1, 2, 3, 3]


def test_a_status_in_the_place_of_the_rank_is_understood():
    contest = read_one("rank,handle\n1,a\nDSQ,b\nooc,c\n")
    assert [row.status for row in contest.standings] == ["ranked", "disqualified", "unofficial"]


def test_scores_alone_determine_the_ranks_and_lower_penalties_break_ties():
    contest = read_one("handle,score,time\na,10,50\nb,12,99\nc,10,40\nd,10,50\n")
    assert [row.place for row in contest.standings] == [3, 1, 2, 3]
    assert contest.ranks == [3, 1, 2, 3]


def test_a_disqualified_score_takes_a_place_but_no_rank():
    contest = read_one("handle,score,status\na,10,dq\nb,8,\nc,7,\n")
    assert [row.place for row in contest.standings] == [1, 2, 3]
    assert contest.ranks == [None, 1, 2]


@pytest.mark.parametrize("places", ["1,2,3", "1,,2"])
def test_ranks_may_count_all_rows_or_the_ranked_ones(places):
    first, second, third = places.split(",")
    contest = read_one(f"rank,handle,status\n{first},a,\n{second},b,unofficial\n{third},c,\n")
    assert contest.ranks == [1, None, 2]


@pytest.mark.parametrize(
    "handle", ["=cmd()", "+1", "-x", "@sum", "<script>alert(1)</script>", "🐱‍👤", "می‌خواهم", "a b"]
)
def test_names_are_kept_as_they_are(handle):
    assert rows(read_one(f'rank,handle\n1,"{handle}"\n')) == [(1, handle, None)]


@pytest.mark.parametrize("text", ["=cmd()", "'=x", "''+y", "plain", "'quoted'", "-1", "@a", "＝1", "＋1", "－1", "＠a"])
def test_what_is_escaped_for_spreadsheets_comes_back_as_it_was(text):
    assert csv_safe(text)[0] not in "=+-@"
    assert csv_unescaped(csv_safe(text)) == text
    assert read_one(f"rank,handle\n1,{csv_safe(text)}\n").standings[0].handle == text


# From OWASP's page on CSV injection, and what spreadsheet programs ignore before a formula.
@pytest.mark.parametrize("before", ["", " ", "\t", "\r", "\n", "\u00a0", "\u3000", "\ufeff", "\u200b", "'"])
@pytest.mark.parametrize("start", ["=", "+", "-", "@", "＝", "＋", "－", "＠"])
def test_no_start_of_a_formula_stays_at_the_start_of_a_cell(before, start):
    text = f"{before}{start}HYPERLINK(1)"
    assert csv_safe(text) == f"'{text}"
    assert csv_unescaped(csv_safe(text)) == text


@pytest.mark.parametrize("before", ["", " ", "\u00a0", "\ufeff", "\u200b", "\ufeff "])
def test_no_start_of_a_formula_stays_in_an_annotated_file_but_numbers_stay_numbers(before):
    cell = cell_safe(f"{before}=HYPERLINK(1)")
    assert cell.startswith("'")
    assert csv_unescaped(cell) == f"{before}=HYPERLINK(1)".strip()
    for number in ("-5", "+1.5", "-1,234.5", "−3", "-1e-5"):
        assert cell_safe(number) == number


@pytest.mark.parametrize("text", ["", " ", "a=b", "x -1", "'quoted'", "O'Brien-Smith", "7-1"])
def test_text_that_no_spreadsheet_runs_is_not_escaped(text):
    assert csv_safe(text) == csv_unescaped(text) == text


@pytest.mark.parametrize("text", ["\t", "\r", "\tplain", "\rplain", "\nplain"])
def test_a_tab_or_a_line_break_at_the_start_is_escaped_too(text):
    assert csv_safe(text) == f"'{text}"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("DE", "DE"), ("deu", "DE"), ("GER", "DE"), ("germany", "DE"), ("🇩🇪", "DE"), ("The Gambia", "GM"),
        ("Suisse", "CH"), ("Belgique", "BE"), ("Alemania", "DE"),
        ("SUI", "CH"), ("Turkey", "TR"), ("Türkiye", "TR"), ("Côte d’Ivoire", "CI"), ("Ivory Coast", "CI"),
        ("UK", "GB"), ("USA", "US"), ("South Korea", "KR"), ("Korea", "KR"), ("Russia", "RU"), ("Viet Nam", "VN"),
        ("Frankreich", "FR"), ("vereinigtes königreich", "GB"), ("Weißrussland", "BY"), ("Atlantis", None), ("", None),
    ],
)  # fmt: skip
def test_countries_are_known_by_code_and_name(text, code):
    assert country_code(text) == code


def test_an_unknown_country_is_a_warning_and_left_empty():
    contests, report = read("rank,handle,country\n1,a,Atlantis\n2,b,Atlantis\n3,c,FR\n")
    assert [row.country for row in contests[0].standings] == ["", "", "FR"]
    assert [(p.row, p.value) for p in report.warnings] == [(2, "“Atlantis”")]


def test_excel_hints_quotes_and_empty_columns_are_understood():
    contest = read_one('sep=;\n\n"rank";"handle";;\n1;"a;""b""";;\n;;;\n2;c\n'.replace("2;c", "2;c;;"))
    assert rows(contest) == [(1, 'a;"b"', None), (2, "c", None)]
    assert [row.row for row in contest.standings] == [4, 6]


def test_gzip_and_streams_are_read_like_plain_files(tmp_path):
    content = b"rank,handle\n1,ann\n"
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(content))
    for source in (path, io.BytesIO(gzip.compress(content)), io.BytesIO(content)):
        assert rows(read_source(source)) == [(1, "ann", None)]


def read_source(source):
    (contest,) = read_contests(source, filename="a.csv")
    return contest


def test_lower_scores_can_be_better_with_a_warning():
    contests, report = read("rank,handle,score\n1,a,61\n2,b,63\n3,c,70\n")
    assert len(contests) == 1
    assert ["lower scores as better" in p.message for p in report.warnings] == [True]


def test_a_tie_in_either_rank_or_score_but_not_both_gives_a_remark():
    contests, report = read("rank,handle,score\n1,a,9\n2,b,9\n3,c,8\n3,d,7\n")
    assert len(contests) == 1
    assert [(p.row, p.column) for p in report.warnings] == [(5, "score"), (3, "rank")]
