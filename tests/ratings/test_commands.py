"""The commands, as scripts call them; and the oracle's numbers through files, database and export."""

import csv
import gzip
import io
import json
import tempfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from contests.models import Contest, Player, Series, Standing, Upload
from contests.services.contests import delete_contest
from ratings.management.commands import _rating
from ratings.models import Rating, RatingChange, Run, Scheme, StaleMark
from ratings.publishing.refresh import refresh_series
from ratings.systems import SYSTEMS
from tests.factories import make_contest, make_series, rate

pytestmark = pytest.mark.django_db

LINES = [
    {
        "id": "a",
        "name": "First",
        "end_time": "2024-01-01T10:00:00Z",
        "standings": [["ann", 1, 9], ["bob", 2, 8], ["cy", 2, 8]],
    },
    {
        "id": "b",
        "name": "Second",
        "end_time": "2024-01-02T10:00:00Z",
        "standings": [["bob", 1, None], ["Ann", 2, None]],
        "weight": 2,
    },
]


def write(path, lines=LINES):
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    return path


def run(command, *arguments, **options):
    out = io.StringIO()
    call_command(command, *map(str, arguments), stdout=out, stderr=io.StringIO(), **options)
    return out.getvalue()


def test_importing_a_file_rates_it_and_importing_it_again_changes_nothing(tmp_path):
    file = write(tmp_path / "two.jsonl")
    first = json.loads(run("import_contests", file, "--series", "cup", "--json"))
    assert {k: first[k] for k in ("created", "skipped", "standings", "players_created", "run", "changes")} == {
        "created": 2, "skipped": 0, "standings": 5, "players_created": 3, "run": 1, "changes": 5,
    }  # fmt: skip
    again = json.loads(run("import_contests", file, "--series", "cup", "--json"))
    assert (again["created"], again["skipped"], again["run"]) == (0, 2, None)
    assert (Contest.objects.count(), Standing.objects.count(), Upload.objects.count(), Run.objects.count()) == (
        2,
        5,
        1,
        1,
    )
    assert Series.objects.get().name == "Cup"


def test_a_file_that_grew_adds_only_what_is_new(tmp_path):
    run("import_contests", write(tmp_path / "one.jsonl", LINES[:1]), "--series", "cup")
    result = json.loads(run("import_contests", write(tmp_path / "two.jsonl"), "--series", "cup", "--json"))
    assert (result["created"], result["skipped"], result["kind"]) == (1, 1, "append")


def test_a_stored_contest_is_not_overwritten_by_a_file_that_says_otherwise(tmp_path):
    run("import_contests", write(tmp_path / "one.jsonl", LINES[:1]), "--series", "cup")
    other = [{**LINES[0], "standings": [["bob", 1, 9], ["ann", 2, 8]]}, LINES[1]]
    with pytest.raises(CommandError, match=r"“a” of series “cup” already exists with other results"):
        run("import_contests", write(tmp_path / "other.jsonl", other), "--series", "cup")
    assert Contest.objects.count() == 1


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"end_time": "2024-01-03T10:00:00Z"}, "another end"),
        ({"weight": 2}, "another weight"),
        ({"perf_ceiling": 2000}, "another performance ceiling"),
    ],
)
def test_a_contest_whose_description_moves_ratings_is_not_skipped_as_known(tmp_path, said, message):
    run("import_contests", write(tmp_path / "one.jsonl", LINES[:1]), "--series", "cup")
    with pytest.raises(CommandError, match=message):
        run("import_contests", write(tmp_path / "other.jsonl", [{**LINES[0], **said}]), "--series", "cup")


def test_a_deleted_contest_comes_back_with_any_file_that_holds_it(tmp_path):
    run("import_contests", write(tmp_path / "one.jsonl", LINES[:1]), "--series", "cup")
    both = write(tmp_path / "two.jsonl")
    run("import_contests", both, "--series", "cup")
    delete_contest(Contest.objects.get(slug="a").pk, reason="by mistake")
    result = json.loads(run("import_contests", both, "--series", "cup", "--json"))
    assert (result["created"], result["skipped"]) == (1, 1)
    assert set(Contest.objects.finalized().values_list("slug", flat=True)) == {"a", "b"}


def test_a_failed_import_leaves_the_rules_of_the_series_alone(tmp_path):
    run("import_contests", write(tmp_path / "one.jsonl", LINES[:1]), "--series", "cup")
    (tmp_path / "bad.jsonl").write_text("{")
    with pytest.raises(CommandError, match="nothing was imported"):
        run("import_contests", tmp_path / "bad.jsonl", "--series", "cup", "--system", "elo-mmr-infinity")
    assert Scheme.objects.newest(Series.objects.get().pk).system == "elo-mmr"
    assert not StaleMark.objects.exists()
    good = write(tmp_path / "two.jsonl")
    result = json.loads(run("import_contests", good, "--series", "cup", "--system", "elo-mmr-infinity", "--json"))
    assert (result["created"], result["run"], result["kind"]) == (1, 2, "replay")
    assert Run.objects.current(Series.objects.get().pk).scheme.system == "elo-mmr-infinity"


@pytest.mark.parametrize(
    ("system", "pair", "name", "value"),
    [
        ("elo", "curve=gaussian", "curve", "gaussian"),
        ("elo", 'curve="gaussian"', "curve", "gaussian"),
        ("elo", "k_factor=3.2e1", "k_factor", 32.0),
        ("elo-mmr", "split_ties=yes", "split_ties", True),
        ("elo-mmr", "split_ties=true", "split_ties", True),
        ("elo-mmr", "noob_delay=0.6,0.8", "noob_delay", [0.6, 0.8]),
        ("elo-mmr", "noob_delay=[0.6, 0.8]", "noob_delay", [0.6, 0.8]),
        ("elo-mmr", "noob_delay=0.6,", "noob_delay", [0.6]),
    ],
)
def test_parameters_can_be_written_as_on_a_command_line(tmp_path, system, pair, name, value):
    run("import_contests", write(tmp_path / "two.jsonl"), "--series", "cup", "--system", system, "--param", pair)
    scheme = Scheme.objects.newest(Series.objects.get().pk)
    assert (scheme.system, scheme.parameters[name]) == (system, value)


@pytest.mark.parametrize("system", SYSTEMS)
def test_an_import_can_choose_every_system(tmp_path, system):
    file = write(tmp_path / "two.jsonl")
    result = json.loads(run("import_contests", file, "--series", "cup", "--system", system, "--json"))
    assert (result["created"], result["run"]) == (2, 1)
    assert Run.objects.current(Series.objects.get().pk).scheme.system == system


def test_an_import_waits_for_the_process_that_is_rating_the_series(tmp_path, monkeypatch):
    """A worker may begin to rate an import before the command does; the import does not fail then."""
    taken = [True, True]

    def taken_twice(series_id, **options):
        return None if taken and taken.pop() else refresh_series(series_id, **options)

    monkeypatch.setattr(_rating, "POLL_SECONDS", 0.0)
    monkeypatch.setattr(_rating, "refresh_series", taken_twice)
    result = json.loads(run("import_contests", write(tmp_path / "two.jsonl"), "--series", "cup", "--json"))
    assert (result["created"], result["run"], result["changes"]) == (2, 1, 5)


def test_one_bad_line_keeps_the_whole_file_from_being_stored(tmp_path):
    bad = [LINES[0], {**LINES[1], "standings": [["ann", 1, None], ["ANN", 2, None], ["bob", 2, None], ["di", 2, None]]}]
    with pytest.raises(CommandError) as error:
        run("import_contests", write(tmp_path / "bad.jsonl", bad), "--series", "cup", "--strict")
    assert "line 2" in str(error.value)
    assert not Contest.objects.exists()
    assert not Player.objects.exists()
    assert not StaleMark.objects.exists()
    assert not Series.objects.exists(), "a series created for a failed import is removed"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.jsonl", "--series", "cup"], "No such file"),
        (["FILE", "--series", "no slug"], "is not a valid short name"),
        (["FILE", "--series", "cup", "--system", "chess"], "chess"),
        (["FILE", "--series", "cup", "--param", "weight_limit=2000"], "weight_limit"),
        (["FILE", "--series", "cup", "--param", "weight_limit"], "write KEY=VALUE"),
        (["FILE", "--series", "cup", "--param", "weight_limit="], "write KEY=VALUE"),
        (["FILE", "--series", "cup", "--param", "weight_limit=much"], "weight_limit = 'much' is not allowed"),
        (["FILE", "--series", "cup", "--param", "noob_delay=0.5,x"], "a list of numbers"),
        (["FILE", "--series", "cup", "--param", "k=1"], "its parameters are: weight_limit"),
        (["FILE", "--series", "cup", "--system", "elo", "--param", "curve=cubic"], "one of logistic, gaussian"),
        (["FILE", "--series", "cup", "--param", "noob_delay=" + "[" * 100_000], "a list of numbers"),
        (["FILE", "--series", "cup", "--end", "yesterday"], "a date, a time and a zone"),
    ],
)
def test_bad_arguments_are_answered_with_an_explanation(tmp_path, arguments, message):
    file = write(tmp_path / "two.jsonl")
    with pytest.raises(CommandError, match=message):
        run("import_contests", *[str(file) if a == "FILE" else a for a in arguments])
    assert not Contest.objects.exists()
    assert not Series.objects.exists()


def test_teams_are_refused_where_the_system_rates_single_players(tmp_path):
    teams = [{**LINES[0], "standings": [[["ann", "bob"], 1, 9], [["cy", "di"], 2, 8]]}]
    with pytest.raises(CommandError, match="rates individual players"):
        run("import_contests", write(tmp_path / "teams.jsonl", teams), "--series", "cup", "--system", "codeforces")
    assert not Contest.objects.exists()


def test_the_end_of_a_contest_in_a_spreadsheet_must_be_given(tmp_path):
    file = tmp_path / "may-open.csv"
    file.write_text("rank;handle;score\n1;ann;9,5\n2;bob;8\n")
    with pytest.raises(CommandError, match="--end"):
        run("import_contests", file, "--series", "cup")
    run("import_contests", file, "--series", "cup", "--end", "2024-05-01T18:00:00Z", "--name", "May Open")
    contest = Contest.objects.get()
    assert (contest.name, contest.standings.get(rank=1).score) == ("May Open", 9.5)


def test_results_that_were_not_rated_wait_for_the_command_rate(tmp_path):
    run("import_contests", write(tmp_path / "two.jsonl"), "--series", "cup", "--no-rate")
    assert not Run.objects.exists()
    assert json.loads(run("rate", "--series", "cup", "--json"))["changes"] == 5
    assert "Nothing to do" in run("rate", "--series", "cup")
    assert json.loads(run("rate", "--series", "cup", "--full", "--json"))["changes"] == 0
    with pytest.raises(CommandError, match="Known series: cup"):
        run("rate", "--series", "cap")


def test_exports_say_what_is_stored_in_full_precision():
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("=cmd()", 2), ("bob", 3)], slug="a")
    rate(series)
    rows = list(csv.DictReader(io.StringIO(export("export_changes", "cup"))))
    stored = RatingChange.objects.current().order_by("rank")
    assert [float(row["mu"]) for row in rows] == [change.mu for change in stored]
    assert [row["contest"] for row in rows] == ["a"] * 3
    assert rows[1]["handle"] == "'=cmd()", "a spreadsheet must not run a name as a formula"
    ratings = [json.loads(line) for line in export("export_ratings", "cup", format="jsonl").splitlines()]
    assert [row["rank"] for row in ratings] == [1, 2, 3]
    assert ratings[1]["handle"] == "=cmd()"
    assert {row["handle"]: row["mu"] for row in ratings} == dict(Rating.objects.values_list("player__handle", "mu"))
    assert json.loads(export("export_ratings", "cup", format="json")) == ratings


@pytest.mark.parametrize(("command", "same"), [("export_ratings", "json"), ("export_changes", "jsonl")])
def test_exports_print_json_when_asked_like_all_commands(tmp_path, command, same):
    series = make_series("cup")
    make_contest(series, players=3)
    rate(series)
    run(command, "--series", "cup", "--json", "--output", tmp_path / "out")
    assert (tmp_path / "out").read_text() == export(command, "cup", format=same)


def test_ratings_can_be_exported_as_of_an_earlier_run():
    series = make_series("cup")
    make_contest(series, players=3, slug="a")
    rate(series)
    before = export("export_ratings", "cup")
    make_contest(series, players=3, slug="b")
    rate(series)
    assert export("export_ratings", "cup", run=1) == before
    assert export("export_ratings", "cup", run=2) == export("export_ratings", "cup") != before
    assert export("export_changes", "cup", since_run=1).count("\nb,") == 3
    assert "\na," not in export("export_changes", "cup", since_run=1)
    with pytest.raises(CommandError, match="no published run 9"):
        export("export_ratings", "cup", run=9)


def export(command, series, **options):
    """Return what a command writes into a file."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "out"
        run(command, series=series, output=output, **options)
        return output.read_text()


def test_the_demonstration_is_made_once():
    first = json.loads(run("demo", "--json"))
    counts = Player.objects.count(), Contest.objects.finalized().count(), Run.objects.count()
    assert counts[0] >= 400
    assert counts[1] == 60 + 15, "of the large community and of the small one"
    assert json.loads(run("demo", "--json")) == first
    assert (Player.objects.count(), Contest.objects.finalized().count(), Run.objects.count()) == counts


@pytest.mark.parametrize("case", ["elo-mmr", "elo-mmr-tuned", "elo-mmr-infinity"])
def test_exports_from_the_database_have_the_numbers_of_the_oracle(shared, tmp_path, case):
    """The first 60 Codeforces rounds from file to export, against the reference implementation's own output."""
    index = {entry["file"]: entry for entry in json.loads((shared / "oracle" / "index.json").read_text())}
    entry = index[f"codeforces.{case}.jsonl.gz"]
    file = tmp_path / "rounds.jsonl"
    with gzip.open(shared / "data" / "codeforces" / "contests.jsonl.gz", "rt") as lines:
        file.write_text("".join(next(lines) for _ in range(entry["contests"])))
    parameters = [f"--param={key}={json.dumps(value)}" for key, value in entry["parameters"].items()]
    run("import_contests", file, "--series", "codeforces", "--system", entry["system"], *parameters)
    with gzip.open(shared / "oracle" / entry["file"], "rt") as lines:
        expected = {(row[0], row[1]): row[2:] for row in map(json.loads, lines)}
    rows = [json.loads(line) for line in export("export_changes", "codeforces", format="jsonl").splitlines()]
    assert len(rows) == len(expected) == entry["rows"]
    for row in rows:
        rank, mu, sigma, performance = expected[row["contest"], row["handle"]]
        assert row["rank"] == rank
        assert [row["mu"], row["sigma"], row["performance"]] == pytest.approx([mu, sigma, performance], abs=1e-5, rel=0)


def test_a_new_series_is_called_what_the_command_says(tmp_path):
    file = write(tmp_path / "two.jsonl")
    run("import_contests", file, "--series", "imo", "--series-name", "International Mathematical Olympiad")
    assert Series.objects.get().name == "International Mathematical Olympiad"


def test_a_series_that_exists_keeps_its_name_and_the_command_says_so(tmp_path):
    make_series("cup", name="Harbour Cup")
    errors = io.StringIO()
    file = write(tmp_path / "two.jsonl")
    call_command(
        "import_contests", str(file), series="cup", series_name="Inland Cup", stdout=io.StringIO(), stderr=errors
    )
    assert Series.objects.get().name == "Harbour Cup"
    assert "keeps its name “Harbour Cup”" in errors.getvalue()
    assert Contest.objects.count() == 2


@pytest.mark.parametrize("name", ["", "   ", "x" * 500, "a\x00b", "\u202e"])
def test_a_name_that_no_series_can_have_is_refused_before_anything_is_created(tmp_path, name):
    with pytest.raises(CommandError, match="--series-name"):
        run("import_contests", write(tmp_path / "two.jsonl"), "--series", "cup", "--series-name", name)
    assert not Series.objects.exists()
