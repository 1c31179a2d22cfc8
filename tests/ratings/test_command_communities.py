"""Commands name series with their community: [COMMUNITY/]SLUG."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from contests.models import AuditEntry, Community, Contest, Player, Series, Visibility
from ratings.management.commands import import_contests
from ratings.models import Derived, Run
from tests.factories import make_community, make_contest, make_series, rate

pytestmark = pytest.mark.django_db

ONE = {"id": "a", "name": "First", "end_time": "2024-01-01T10:00:00Z", "standings": [["ann", 1, 9], ["bob", 2, 8]]}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps(ONE) + "\n")
    return path


@pytest.fixture
def twins():
    """Series “cup” of two communities, in which the same handles have other places."""
    for community, standings in (("main", [("ann", 1), ("bob", 2)]), ("west", [("bob", 1), ("ann", 2), ("cid", 3)])):
        make_contest(make_series("cup", community=community), standings=standings, slug=f"{community}-open")
    return {series.community_id: series for series in Series.objects.all()}


def run(command, *arguments):
    """Return what a command writes to standard output."""
    out = io.StringIO()
    call_command(command, *map(str, arguments), stdout=out, stderr=io.StringIO())
    return out.getvalue()


def exported(command, series, tmp_path):
    path = tmp_path / "export.jsonl"
    run(command, "--series", series, "--format", "jsonl", "--output", path)
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_rate_rates_the_series_of_one_community(twins):
    assert json.loads(run("rate", "--series", "west/cup", "--json"))["players"] == 3
    assert set(Run.objects.values_list("series__community", flat=True)) == {"west"}
    assert json.loads(run("rate", "--series", "cup", "--json"))["players"] == 2
    assert "Nothing to do" in run("rate", "--series", "main/cup")


def test_exports_have_the_series_of_one_community(twins, tmp_path):
    for series in twins.values():
        rate(series)
    assert [row["handle"] for row in exported("export_ratings", "cup", tmp_path)] == ["ann", "bob"]
    assert [row["handle"] for row in exported("export_ratings", "west/cup", tmp_path)] == ["bob", "ann", "cid"]
    assert {row["contest"] for row in exported("export_changes", "main/cup", tmp_path)} == {"main-open"}
    assert {row["contest"] for row in exported("export_changes", "west/cup", tmp_path)} == {"west-open"}


def test_numbers_are_derived_for_the_series_of_one_community(twins):
    for series in twins.values():
        rate(series)
    assert json.loads(run("derive", "--series", "west/cup", "--json"))["series"] == 1
    assert set(Derived.objects.values_list("run__series__community", flat=True)) == {"west"}


def test_the_audit_log_of_the_series_of_one_community(file, tmp_path):
    for name in ("cup", "west/cup"):
        run("import_contests", file, "--series", name, "--no-rate")
    for name, community in (("cup", "main"), ("west/cup", "west")):
        series = Series.objects.get(community=community)
        rows = exported("export_audit", name, tmp_path)
        assert [row["id"] for row in rows] == list(series.audit_entries.order_by("id").values_list("id", flat=True))
        assert rows
        chains = json.loads(run("verify_audit", "--series", name, "--json"))["chains"]
        assert list(chains) == [f"series {series.pk}"]


def test_verify_audit_names_the_community_of_a_wrong_entry(file):
    for name in ("cup", "west/cup"):
        run("import_contests", file, "--series", name, "--no-rate")
    run("verify_audit")
    AuditEntry.objects.filter(series__community="west", action="series.create").update(subject="series other")
    AuditEntry.objects.filter(action="community.create", community="west").update(subject="community other")
    with pytest.raises(CommandError) as error:
        run("verify_audit")
    said = str(error.value)
    assert "Series west/cup: " in said
    assert "Community west: " in said
    assert "Series cup: " not in said


def test_verify_audit_tells_a_deleted_community_from_an_entry_without_its_community(file, tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{")
    with pytest.raises(CommandError):
        run("import_contests", bad, "--series", "west/cup")
    run("verify_audit")
    run("import_contests", file, "--series", "west/cup", "--no-rate")
    run("verify_audit")  # a new community has the slug of the deleted one
    AuditEntry.objects.filter(series__isnull=False, action="series.create").update(community=None)
    with pytest.raises(CommandError, match=r"Series west/cup: .* does not refer to the community"):
        run("verify_audit")


COMMANDS = ["rate", "derive", "export_ratings", "export_changes", "export_audit", "verify_audit"]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("east/cup", "There is no community “east”. Known communities: main, west."),
        ("west/cap", "There is no series “west/cap”. Known series: cup, west/cup, west/night."),
        ("night", "There is no series “night”. Known series: cup, west/cup, west/night."),
        ("a/b/cup", "There is no community “a/b”. Known communities: main, west."),
        ("/cup", "There is no community “”. Known communities: main, west."),
        ("west/", "There is no series “west/”. Known series: cup, west/cup, west/night."),
        ("no slug", "There is no series “no slug”. Known series: cup, west/cup, west/night."),
    ],
)
def test_a_series_that_does_not_exist_is_answered_with_those_that_do(twins, command, name, message):
    make_series("night", community="west")
    with pytest.raises(CommandError) as error:
        run(command, "--series", name)
    assert str(error.value) == message


@pytest.mark.parametrize("command", [*COMMANDS, "import_contests"])
def test_the_help_says_how_a_series_is_named(command, capsys):
    with pytest.raises(SystemExit):
        call_command(command, "--help")
    assert "--series [COMMUNITY/]SLUG" in capsys.readouterr().out


def test_an_import_creates_community_and_series_with_its_name(file):
    run("import_contests", file, "--series", "harbour-club/night-cup", "--series-name", "Night Cup 2024")
    series = Series.objects.get()
    assert (series.community_id, series.slug, series.name) == ("harbour-club", "night-cup", "Night Cup 2024")
    assert (series.community.name, series.community.visibility) == ("Harbour Club", Visibility.PUBLIC)
    assert set(Player.objects.values_list("community", flat=True)) == {"harbour-club"}
    assert list(Community.objects.values_list("slug", flat=True)) == ["harbour-club"]


def test_an_import_into_two_communities_makes_two_players_with_the_same_handle(file):
    for name in ("cup", "west/cup"):
        assert json.loads(run("import_contests", file, "--series", name, "--json"))["players_created"] == 2
    assert sorted(Player.objects.filter(handle="ann").values_list("community", flat=True)) == ["main", "west"]
    assert json.loads(run("import_contests", file, "--series", "west/cup", "--json"))["skipped"] == 1
    assert Contest.objects.count() == 2


def test_a_new_series_is_as_visible_as_its_community(file):
    make_community("hidden", visibility=Visibility.PRIVATE)
    run("import_contests", file, "--series", "hidden/cup")
    assert not Series.objects.get().is_public


@pytest.mark.parametrize("default", ["main", "club"])
def test_the_slug_alone_means_the_default_community(file, settings, default):
    settings.PODIUM_COMMUNITY = default
    run("import_contests", file, "--series", "cup")
    assert Series.objects.get().community_id == default
    assert json.loads(run("import_contests", file, "--series", f"{default}/cup", "--json"))["skipped"] == 1
    assert "Nothing to do" in run("rate", "--series", "cup")
    with pytest.raises(CommandError, match=r"Known series: cup\."):
        run("rate", "--series", "cap")


INVALID = [
    ("Club/cup", "“Club” is not a valid short name of a community: use 1 to 40 lower-case letters"),
    ("a/b/cup", "“a/b” is not a valid short name of a community"),
    ("/cup", "“” is not a valid short name of a community"),
    ("x" * 41 + "/cup", "is not a valid short name of a community"),
    ("two--hyphens/cup", "is not a valid short name of a community"),
    ("club/no slug", "“no slug” is not a valid short name: use 1 to 80 letters"),
    ("club/", "“” is not a valid short name"),
    ("club/" + "x" * 81, "is not a valid short name"),
    ("club/a\0b", "is not a valid short name"),
]


@pytest.mark.parametrize(("name", "message"), INVALID)
def test_an_import_refuses_names_that_no_series_can_have(file, name, message):
    with pytest.raises(CommandError) as error:
        run("import_contests", file, "--series", name)
    assert message in str(error.value)
    assert not Community.objects.exists()
    assert not Series.objects.exists()


@pytest.mark.parametrize("name", ["cup", "club/cup"])
@pytest.mark.parametrize(
    "arguments", [["--system", "chess"], ["--param", "weight_limit=2000"], ["--end", "2024-01-01T00:00:00Z", "BAD"]]
)
def test_a_failed_import_leaves_neither_series_nor_community(file, tmp_path, name, arguments):
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{")
    with pytest.raises(CommandError):
        run("import_contests", "--series", name, bad if "BAD" in arguments else file, *arguments[:2])
    assert not Series.objects.exists()
    assert not Community.objects.exists()
    assert not Player.objects.exists()
    assert json.loads(run("import_contests", file, "--series", name, "--json"))["created"] == 1
    run("verify_audit")


def test_an_import_that_breaks_off_leaves_neither_series_nor_community(file, monkeypatch):
    def stopped(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(import_contests, "import_file", stopped)
    with pytest.raises(KeyboardInterrupt):
        run("import_contests", file, "--series", "club/cup")
    assert not Series.objects.exists()
    assert not Community.objects.exists()


def test_a_failed_import_leaves_what_existed_before(file, tmp_path):
    make_series("cup", community="club")
    make_community("empty")
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{")
    for name in ("club/cup", "club/new", "empty/new"):
        with pytest.raises(CommandError, match="nothing was imported"):
            run("import_contests", bad, "--series", name)
    assert [series.full_slug for series in Series.objects.all()] == ["club/cup"]
    assert sorted(Community.objects.values_list("slug", flat=True)) == ["club", "empty"]


def test_files_before_a_failed_one_stay_with_their_series(file, tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{")
    with pytest.raises(CommandError, match=r"bad\.jsonl: nothing was imported"):
        run("import_contests", file, bad, "--series", "club/cup")
    assert Series.objects.get().contests.count() == 1
    assert Community.objects.get().pk == "club"


def test_a_failed_import_keeps_a_series_that_another_process_has_filled(file, monkeypatch):
    """Another import finds the new series and fills it, before this one fails."""

    def filled(series_id, **options):
        make_contest(Series.objects.get(pk=series_id), players=2)
        raise CommandError("no")

    monkeypatch.setattr(import_contests, "import_file", filled)
    with pytest.raises(CommandError, match="no"):
        run("import_contests", file, "--series", "club/cup")
    assert Series.objects.get().contests.count() == 1
    assert Community.objects.get().pk == "club"
