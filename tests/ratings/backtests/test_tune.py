"""The command tune, in this process, in several processes, and in real workers that may die."""

import io
import json
import os
import signal
import threading
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from contests.errors import ContestError
from ratings.backtests.archive import read_archive
from ratings.backtests.candidates import evaluate_on_files, in_processes, over_workers
from ratings.systems.evaluate.tuning import Candidate
from tests.processes import until


def write(path, count=40, players=12):
    """Write contests in which the order of the players rotates slowly, so that it pays to follow it."""
    with path.open("w") as file:
        for day in range(count):
            standings = [[f"p{(place + day // 4) % players}", place + 1, None] for place in range(players)]
            month, date = divmod(day, 28)
            file.write(
                json.dumps(
                    {
                        "id": f"c{day}",
                        "name": f"Contest {day}",
                        "end_time": f"2024-{month + 1:02}-{date + 1:02}T10:00:00Z",
                        "standings": standings,
                    }
                )
                + "\n"
            )
    return path


@pytest.fixture
def file(tmp_path):
    return write(tmp_path / "contests.jsonl")


def run(*arguments):
    out = io.StringIO()
    call_command("tune", *map(str, arguments), stdout=out)
    return out.getvalue()


OPTIONS = ["--system", "elo", "--share", "0.4", "--candidates", "6"]


def found(*arguments):
    """The JSON result, without what depends on the clock."""
    result = json.loads(run(*arguments, "--json"))
    assert result.pop("seconds") > 0
    parts = [result["default_on_rest"], result["best_on_rest"], result["best"]["scores"]]
    for scores in [*parts, *(each["scores"] for each in result["candidates"])]:
        scores.pop("seconds")
    return result


def test_it_prints_all_candidates_and_compares_the_best_with_the_defaults_on_the_rest(file):
    printed = run(file, *OPTIONS).splitlines()
    assert printed[0].startswith(
        "elo, by pair-inversion: 6 candidates on the first 16 contests, the best and the defaults on the other 24; "
    )
    assert printed[1] == (
        "Judged: 11 of 16 contests (69 %) in the search, 24 of 24 contests (100 %) in the rest. "
        "Only players with at least 5 earlier contests count."
    )
    table = printed[4:10]
    assert [line.split()[0] for line in table] == list("123456")
    assert table[0].endswith("defaults")
    assert sum(line.endswith("(best)") for line in table) == 1
    assert [line.split()[0] for line in printed[12:14]] == ["defaults", "best"]
    assert printed[-1].startswith("Best: --system elo --param k_factor=")


def test_json_has_the_same_content_and_a_seed_reproduces_it(file):
    first, again, other = found(file, *OPTIONS), found(file, *OPTIONS), found(file, *OPTIONS, "--seed", "3")
    assert first == again
    assert first["candidates"] != other["candidates"]
    assert (first["system"], first["objective"], first["training"]) == ("elo", "pair-inversion", 16)
    assert len(first["candidates"]) == 6
    assert first["best"] in first["candidates"]
    assert first["default_on_rest"]["contests"] == 24
    assert first["best_on_rest"]["pair_inversion"] > first["default_on_rest"]["pair_inversion"]


def test_few_judged_contests_are_a_warning(file):
    out, err = io.StringIO(), io.StringIO()
    call_command("tune", str(file), *OPTIONS, "--json", stdout=out, stderr=err)
    warnings = json.loads(out.getvalue())["warnings"]
    assert warnings == [
        "11 of the first 16 contests could be judged: too few, so the parameters found may fit them by chance.",
        "24 of the other 24 contests could be judged: too few to say which parameters are better.",
    ]
    assert err.getvalue().splitlines() == [f"Warning: {words}" for words in warnings]


def test_several_processes_find_what_one_finds(file):
    assert found(file, *OPTIONS, "--jobs", "2") == found(file, *OPTIONS)


def test_the_death_of_a_process_is_reported(file):
    def kill_it():
        children = Path(f"/proc/{os.getpid()}/task/{threading.get_native_id()}/children").read_text().split()
        os.kill(int(children[-1]), signal.SIGKILL)

    archive = read_archive([file])
    died = pytest.raises(ContestError, match="ended unexpectedly, perhaps because memory ran out")
    with in_processes(archive, 1, kill_it) as evaluate, died:
        evaluate([Candidate("elo", {})] * 400)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--system", "chess"], "there is no rating system 'chess'"),
        (["--system", "ladder"], r"ladder: ladder has no parameters that a search could improve\."),
        (["--system", "elo", "--share", "1.5"], r"elo: share = 1\.5 is not allowed"),
        (["--system", "elo", "--share", "0.05"], r"the first 2 contests have no two players .* 5 contests before"),
        (["--system", "elo", "--candidates", "1"], "1 candidates are too few"),
        (["--system", "elo", "--objective", "luck"], "--objective: invalid choice"),
        (["--system", "elo", "--jobs", "0"], "--jobs 0: write a whole number"),
        (["--system", "elo", "--seed", "-1"], "--seed -1: write a whole number"),
        (["--system", "elo", "--timeout", "0"], "--timeout 0: write a number of seconds"),
        (["--system", "elo", "--timeout", "1e300", "--celery"], "--timeout 1e.300: write a number of seconds"),
        (["--system", "elo", "--min-contests", "some"], "--min-contests: 'some' is not a number of contests"),
        (["--system", "elo", "--jobs", "2", "--celery"], "not allowed with"),
    ],
)
def test_impossible_requests_are_explained(file, arguments, message):
    with pytest.raises(CommandError, match=message):
        run(file, *arguments)


def test_a_file_that_cannot_be_used_is_named(tmp_path):
    with pytest.raises(CommandError, match=r"No such file: .*none\.jsonl"):
        run(tmp_path / "none.jsonl", "--system", "elo")


def test_a_worker_names_a_file_that_it_cannot_read_or_that_has_different_contests(file, tmp_path):
    candidate = {"system": "elo", "parameters": {}}
    with pytest.raises(ContestError, match=r"The worker cannot read /nowhere/x\.jsonl: No such file"):
        evaluate_on_files(["/nowhere/x.jsonl"], "", candidate)
    with pytest.raises(ContestError, match=r"the worker reads other contests from .* than this command"):
        evaluate_on_files([str(file)], read_archive([write(tmp_path / "y.jsonl", 39)]).digest(), candidate)
    digest = read_archive([file]).digest()
    assert evaluate_on_files([str(file)], digest, candidate)["contests"] == 35
    write(file, 41)
    with pytest.raises(ContestError, match="other contests"):
        evaluate_on_files([str(file)], digest, candidate)
    file.write_text("{")
    with pytest.raises(ContestError, match=r"contests\.jsonl: .*line 1"):
        evaluate_on_files([str(file)], digest, candidate)


@pytest.mark.one_database
def test_workers_find_what_one_process_finds_and_leave_no_results_behind(file, workers):
    workers(), workers()
    assert found(file, *OPTIONS, "--celery", "--timeout", "60") == found(file, *OPTIONS)
    folder = Path(os.environ["PODIUM_VAR"]) / "results"
    assert not folder.is_dir() or list(folder.iterdir()) == []


def test_without_a_worker_the_command_gives_up_in_time(file, workers):
    with pytest.raises(
        CommandError, match=r"elo: No worker has returned a result for 0\.5 seconds; 3 of 3 are missing"
    ):
        run(file, *OPTIONS, "--celery", "--timeout", "0.5")


def test_the_failure_of_a_worker_comes_back_as_a_message(file, tmp_path, worker):
    other = read_archive([write(tmp_path / "other.jsonl", 39)])
    evaluate = over_workers([file], other, lambda: None, patience=30)
    with pytest.raises(ContestError, match=r"A worker could not evaluate a candidate: .* reads other contests"):
        evaluate([Candidate("elo", {})])


@pytest.fixture
def being_evaluated(tmp_path, file, workers):
    """Start a worker, and return it in the middle of a task, with the list that will contain the outcome."""
    endless = tmp_path / "endless.jsonl"
    os.mkfifo(endless)
    threads, held = [], []

    def start(patience):
        worker, said = workers(), []
        evaluate = over_workers([endless], read_archive([file]), lambda: None, patience=patience)

        def wait():
            try:
                evaluate([Candidate("elo", {})])
            except ContestError as error:
                said.append(str(error))

        threads.append(threading.Thread(target=wait))
        threads[-1].start()
        # Held open, and nothing ever written: the worker waits for the first line.
        until(lambda: held or held.extend(_write_end(endless)), what="the worker reads")
        return worker, said

    yield start
    for thread in threads:
        thread.join()
    for pipe in held:
        os.close(pipe)


def _write_end(fifo):
    """Open a pipe for writing once a process reads it; return None until then."""
    try:
        return [os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)]
    except OSError:
        return []


@pytest.mark.one_database
def test_a_worker_that_dies_does_not_keep_the_command_waiting_forever(being_evaluated):
    worker, said = being_evaluated(patience=3.0)
    worker.kill()
    until(lambda: said, seconds=30, what="the command gives up")
    assert "No worker has returned a result for 3 seconds; 1 of 1 are missing" in said[0]


@pytest.mark.one_database
def test_a_worker_that_loses_only_its_child_says_so_at_once(being_evaluated):
    worker, said = being_evaluated(patience=120.0)
    (child,) = Path(f"/proc/{worker.process.pid}/task/{worker.process.pid}/children").read_text().split()
    os.kill(int(child), signal.SIGKILL)
    until(lambda: said, seconds=60, what="the command says that the worker died")
    assert "A worker could not evaluate a candidate: " in said[0]
    assert "SIGKILL" in said[0]
