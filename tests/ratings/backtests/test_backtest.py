"""The command backtest: its output, its inputs and its refusals, all without a database."""

import gzip
import io
import json
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from ratings.backtests.archive import read_archive
from ratings.systems import backtest, get_system
from tests.oracle.shared import SHARED, load_contests, needs_shared, oracle_cases

HANDLES = ["ann", "bob", "cy", "dee"]


def lines(count=20, handles=HANDLES):
    """Contests in which all players place the same each time, except that the last two take turns."""
    return [
        {
            "id": f"c{day}",
            "name": f"Contest {day}",
            "end_time": f"2024-01-{day + 1:02}T10:00:00Z",
            "standings": [
                [handle, place, None] for place, handle in enumerate(handles[:2] + handles[2:][:: (-1) ** day], start=1)
            ],
        }
        for day in range(count)
    ]


def dated(contests):
    """The same contests, one a day from the beginning of 2025."""
    first = date(2025, 1, 1)
    return [
        {**contest, "end_time": f"{first + timedelta(days=number)}T10:00:00Z"}
        for number, contest in enumerate(contests)
    ]


def write(path, contests):
    path.write_text("\n".join(json.dumps(contest) for contest in contests) + "\n")
    return path


@pytest.fixture
def file(tmp_path):
    return write(tmp_path / "contests.jsonl", lines())


def run_with_warnings(*arguments):
    out, err = io.StringIO(), io.StringIO()
    call_command("backtest", *map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def run(*arguments):
    return run_with_warnings(*arguments)[0]


def test_it_prints_one_table_of_all_systems(file):
    printed = run(file, "--system", "elo-mmr", "--system", "elo").splitlines()
    assert printed[0] == (
        "20 contests, 4 players. Judged: 15 of 20 contests (75 %), with 60 of 80 participations (75 %). "
        "Only players with at least 5 earlier contests count."
    )
    assert printed[1].split() == ["system", "pair", "inversion", "rank", "deviation", "log-loss", "seconds"]
    assert [line.split()[0] for line in printed[2:]] == ["elo-mmr", "elo"]
    assert len({len(line) for line in printed[1:]}) == 1


def test_json_is_a_list_with_everything(file):
    found = json.loads(run(file, "--system", "elo", "--param", "k_factor=30", "--json"))
    (entry,) = found
    assert (entry["system"], entry["parameters"]["k_factor"]) == ("elo", 30.0)
    assert (entry["contests"], entry["participations"]) == (15, 60)
    assert (entry["all_contests"], entry["all_participations"]) == (20, 80)
    # Five of six pairs never change, and in the sixth elo follows the last result, which is always the wrong one.
    assert entry["pair_inversion"] == pytest.approx(100 * 5 / 6)
    assert 0 < entry["log_loss"] < 1
    assert len(entry["calibration"]) == 10
    assert sum(each["pairs"] for each in entry["calibration"]) == 15 * 6
    assert entry["seconds"] > 0


def test_few_judged_contests_are_a_warning(tmp_path):
    few = write(tmp_path / "few.jsonl", lines(28))
    printed, warned = run_with_warnings(few, "--system", "elo", "--json")
    (entry,) = json.loads(printed)
    assert entry["warning"] == (
        "23 of 28 contests could be judged: too few to tell systems apart. "
        "Lower --min-contests or --skip, or give more files."
    )
    assert warned.strip() == f"Warning: {entry['warning']}"
    # 400 games between players who never meet again, and 35 other games, of which 30 are judged: 7 % of all.
    strangers = [
        {**lines(1)[0], "id": f"s{n}", "name": f"Game {n}", "standings": [[f"a{n}", 1, None], [f"b{n}", 2, None]]}
        for n in range(400)
    ]
    regulars = dated(lines(35, [*HANDLES[:2], "x", "y"]))
    share = write(tmp_path / "share.jsonl", strangers + regulars)
    printed, warned = run_with_warnings(share, "--system", "elo")
    assert "Judged: 30 of 435 contests (6.9 %), with 120 of 940 participations (13 %)" in printed
    assert warned.startswith("Warning: 30 of 435 contests could be judged")


def test_enough_judged_contests_give_no_warning(tmp_path):
    contests = dated(lines(56))
    printed, warned = run_with_warnings(write(tmp_path / "many.jsonl", contests), "--system", "elo", "--json")
    assert json.loads(printed)[0]["warning"] is None
    assert warned == ""


@needs_shared
def test_games_of_teams_say_how_few_of_them_were_judged():
    path = SHARED / "data" / "halo2-largeteam" / "contests.jsonl.gz"
    printed, warned = run_with_warnings(path, "--system", "trueskill")
    assert " of 1,199 contests (" in printed
    assert " of 1,199 contests could be judged" in warned


@needs_shared
def test_a_file_gives_the_figures_of_the_reference_implementation():
    case = next(case for case in oracle_cases("elo-mmr") if case["file"].startswith("synthetic-weighted.elo-mmr-tuned"))
    path = SHARED / "data" / case["data"] / "contests.jsonl.gz"
    given = [word for key, value in case["parameters"].items() for word in ("--param", f"{key}={json.dumps(value)}")]
    (experienced,) = json.loads(run(path, "--system", "elo-mmr", *given, "--json"))
    (everyone,) = json.loads(run(path, "--system", "elo-mmr", *given, "--json", "--min-contests", "1"))
    for entry, whom in ((experienced, "experienced"), (everyone, "everyone")):
        assert entry["pair_inversion"] == pytest.approx(case[f"pair_inversion_{whom}"], abs=1e-6)
        assert entry["rank_deviation"] == pytest.approx(case[f"rank_deviation_{whom}"], abs=1e-6)


@needs_shared
def test_an_archive_has_the_contests_that_other_tests_give_the_library():
    contests, _, handles = load_contests("formula1", 300)
    archive = read_archive([SHARED / "data" / "formula1" / "contests.jsonl.gz"])
    scores = [backtest(get_system("elo"), each, len(handles)) for each in (contests, archive.contests[:300])]
    assert scores[0].log_loss == scores[1].log_loss
    assert archive.handles[: len(handles)] == handles


def test_every_form_of_file_is_read_and_several_are_one_archive_in_the_order_of_time(tmp_path, file):
    whole = json.loads(run(file, "--system", "elo", "--json"))[0]
    packed = tmp_path / "late.jsonl.gz"
    packed.write_bytes(gzip.compress(write(tmp_path / "x.jsonl", lines()[10:]).read_bytes()))
    folder = tmp_path / "numbered"
    folder.mkdir()
    for number, contest in enumerate(lines()[:10]):
        row = [[handle, place - 1, place - 1] for handle, place, _ in contest["standings"]]
        seconds = 1704103200 + 86400 * number
        (folder / f"{number}.json").write_text(
            json.dumps({"name": contest["name"], "time_seconds": seconds, "standings": row})
        )
    parts = json.loads(run(packed, folder, "--system", "elo", "--json"))[0]
    assert {**parts, "seconds": 0} == {**whole, "seconds": 0}


def test_tables_without_a_time_are_rated_in_the_order_of_the_arguments(tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.csv").write_text("rank,handle\n1,Ann\n2,bob\n")
    (entry,) = json.loads(
        run(*(tmp_path / f"{n}.csv" for n in range(3)), "--system", "elo", "--min-contests", "2", "--json")
    )
    assert (entry["contests"], entry["participations"], entry["pair_inversion"]) == (1, 2, 100.0)


def test_handles_that_differ_in_case_are_one_player(tmp_path):
    contests = lines(2)
    contests[1]["standings"][0][0] = "ANN"
    archive = read_archive([write(tmp_path / "a.jsonl", contests)])
    assert archive.handles == HANDLES


def test_unranked_rows_are_left_out_and_teams_stay_together(tmp_path):
    (tmp_path / "teams.csv").write_text(
        "rank,handle,team,status\n1,ann,red,\n1,bob,red,\n2,cy,blue,\n,dee,,disqualified\n"
    )
    (contest,) = read_archive([tmp_path / "teams.csv"]).contests
    assert len(contest) == 3
    assert contest.n_entries == 2
    assert contest.competition_ranks.tolist() == [1, 1, 2]


def test_a_parameter_goes_to_all_systems_that_have_it_or_to_the_one_it_names(file):
    systems = ["--system", "elo", "--system", "glicko2", "--system", "elo-mmr"]
    given = ["--param", "sig_noob=200", "--param", "elo.k_factor=99", "--param", "scale=300", "--json"]
    elo, glicko2, elo_mmr = (entry["parameters"] for entry in json.loads(run(file, *systems, *given)))
    assert [each["sig_noob"] for each in (elo, glicko2, elo_mmr)] == [200.0] * 3
    assert (elo["k_factor"], elo["scale"], glicko2["scale"]) == (99.0, 300.0, 300.0)
    assert "scale" not in elo_mmr


def test_skipped_contests_are_not_judged(file):
    assert json.loads(run(file, "--system", "elo", "--skip", "12", "--json"))[0]["contests"] == 8


TEAMS = [{**contest, "standings": [[["ann", "bob"], 1, None], ["cy", 2, None]]} for contest in lines(3)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--system", "chess"], r"there is no rating system 'chess'; choose from: elo-mmr, "),
        (["--system", "elo", "--param", "k=3"], r"elo has no parameter 'k'; its parameters are: k_factor, "),
        (["--system", "elo", "--param", "k_factor=-1"], r"elo: k_factor = -1 is not allowed: it must be a number"),
        (["--system", "elo", "--param", "k_factor"], r"--param k_factor: write KEY=VALUE"),
        (["--system", "elo", "--system", "glicko2", "--param", "k=3"], r"none of elo, glicko2 has a parameter k\."),
        (["--system", "elo", "--param", "glicko2.tau=1"], r"there is no --system glicko2 here, only elo\."),
        (
            ["--system", "elo", "--min-contests", "20"],
            r"Nothing to judge: none of the 20 contests .* at least 20 earlier contests",
        ),
        (["--system", "elo", "--skip", "20"], r"Nothing to judge"),
        (["--system", "elo", "--min-contests", "-1"], r"is not a number of contests"),
        ([], r"required: --system"),
        (["--system", "elo", "--groups", "("], r"'\(' is not a regular expression"),
        (
            ["--system", "elo", "--groups", "Div"],
            "matches no contest's name. The first one is “Contest 0”",
        ),
        (["--system", "elo", "--player", "zoe"], "--player zoe: no such player in these files"),
    ],
)
def test_wrong_arguments_are_explained(file, arguments, message):
    with pytest.raises(CommandError, match=message):
        run(file, *arguments)


def test_contests_are_grouped_by_the_captured_part_of_their_names(tmp_path):
    contests = dated(lines(36))
    for number, contest in enumerate(contests):
        contest["name"] = f"Round {number} (Div. {1 + number % 3})" if number % 3 < 2 else f"Final {number}"
    path = write(tmp_path / "contests.jsonl", contests)
    arguments = (path, "--system", "elo", "--groups", r"Div\. (\d)")
    scores = json.loads(run(*arguments, "--json"))[0]
    # The first five contests have no experienced players.
    assert {name: group["contests"] for name, group in scores["groups"].items()} == {"1": 10, "2": 10, "": 11}
    # All players place in the same order, except for the last two, who take turns.
    archive, beliefs = read_archive([path]), get_system("elo").new_beliefs(4)
    inversions = []
    for position, contest in enumerate(archive.contests):
        if position >= 5 and position % 3 == 0:
            order = np.argsort(-beliefs.mu[contest.players], kind="stable")
            wrong = sum(order[i] > order[j] for i in range(4) for j in range(i + 1, 4))
            inversions.append(100 * (1 - wrong / 6))
        get_system("elo").rate_round(beliefs, contest)
    assert scores["groups"]["1"]["pair_inversion"] == pytest.approx(np.mean(inversions))
    assert scores["pair_inversion"] == json.loads(run(*arguments[:3], "--json"))[0]["pair_inversion"]
    text = run(*arguments)
    assert "\n1: 10 of 12 contests (83 %), too few\nsystem" in text
    assert "\nother contests: 11 of 12 contests" in text


def test_measures_for_matches_and_the_rating_history_of_a_player_are_printed(file):
    arguments = (file, "--system", "elo", "--system", "trueskill", "--matches", "--player", "CY")
    elo, trueskill = json.loads(run(*arguments, "--json"))
    assert (elo["matches"]["matches"], elo["matches"]["left_out"], elo["matches"]["draws"]) == (20, 0, None)
    assert [error["chosen_by"] for error in elo["matches"]["errors"]] == [None, "elo", "trueskill"]
    assert elo["matches"]["winning_ratios"][2] == {"matches": 10, "players": 4, "deviation": pytest.approx(100 / 3)}
    assert (elo["player"]["handle"], len(trueskill["player"]["ratings"])) == ("cy", 21)
    text = run(*arguments)
    assert "20 matches of all players, newcomers included." in text
    assert "Rating of cy after this many contests" in text
    assert "Share of all draws" not in text


def test_problems_of_a_file_are_named(tmp_path, file):
    bad = tmp_path / "bad.jsonl"
    bad.write_text(
        '{"id": "a", "name": "A", "end_time": "2024-01-01T10:00:00Z", "standings": [["ann", "first", null]]}\n'
    )
    empty = write(tmp_path / "teams.jsonl", TEAMS)
    for path, message in (
        (tmp_path / "none.jsonl", r"No such file: .*none\.jsonl\."),
        (bad, r"bad\.jsonl cannot be used, because\n  line 1.*rank"),
        (empty, r"topcoder cannot rate these contests: contest 0: topcoder rates individuals"),
    ):
        with pytest.raises(CommandError, match=message):
            run(Path(path), "--system", "topcoder")
    with pytest.raises(CommandError, match=r"Contest “c0” is in .*contests\.jsonl and in .*again\.jsonl"):
        run(file, write(tmp_path / "again.jsonl", lines()), "--system", "elo")


def test_a_folder_without_contests_is_reported(tmp_path):
    (tmp_path / "nothing").mkdir()
    with pytest.raises(CommandError, match="nothing"):
        run(tmp_path / "nothing", "--system", "elo")
