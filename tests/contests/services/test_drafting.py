"""Drafts are described and given standings; they do not count before they are finalized."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connections

from contests.errors import ContestError
from contests.formats import read_contests
from contests.models import AuditEntry, Contest, Player
from contests.services.contests import create_contest, finalize_contest, save_standings
from contests.services.describing import ContestDescription, describe_contest
from contests.services.series import describe_series
from ratings.models import StaleMark
from tests.factories import make_contest, make_player, make_series

pytestmark = pytest.mark.django_db

MAY = ContestDescription(name="May Open", ends_at=datetime(2025, 5, 1, 18, tzinfo=UTC))


def parsed(text):
    return read_contests(text.encode(), filename="standings.csv")[0]


def test_a_contest_gets_a_slug_of_its_own():
    series = make_series()
    slugs = [
        create_contest(series.pk, description=replace(MAY, name=name)).slug
        for name in ("May Open", "May  open!", "五月")
    ]
    assert slugs == ["may-open", "may-open-2", "五月"]
    with pytest.raises(ContestError, match="already has a contest “may-open”"):
        create_contest(series.pk, description=MAY, slug="may-open")


def test_a_contest_cannot_end_before_it_starts():
    late = replace(MAY, starts_at=MAY.ends_at + timedelta(hours=1))
    with pytest.raises(ContestError, match="before it starts at 1 May 2025 19:00 UTC"):
        create_contest(make_series().pk, description=late)
    assert not Contest.objects.exists()


def test_saved_standings_replace_the_earlier_ones_and_rate_nothing():
    contest = create_contest(make_series().pk, description=MAY)
    save_standings(contest.pk, parsed=parsed("rank,handle\n1,ann\n2,bob\n"))
    save_standings(contest.pk, parsed=parsed("rank,handle,country\n1,Bob,DE\n2,cy,FR\n2,di,\n"))
    contest.refresh_from_db()
    assert contest.standing_count == 3
    table = contest.standings.for_table().values_list("player__handle", "rank")
    assert list(table) == [("bob", 1), ("cy", 2), ("di", 2)], "Bob is bob, who was there before"
    assert Player.objects.get(handle="cy").country == "FR"
    assert not StaleMark.objects.exists()


def test_the_same_standings_again_change_nothing():
    contest = create_contest(make_series().pk, description=MAY)
    for text in ("rank,handle\n1,ann\n2,bob\n", "handle;rank\nbob;2\nANN;1\n"):
        save_standings(contest.pk, parsed=parsed(text))
    assert AuditEntry.objects.filter(action="contest.standings").count() == 1


def test_an_alias_leads_to_its_player():
    ann = make_player("ann")
    ann.aliases.create(handle="Annie", handle_key="annie")
    contest = create_contest(make_series().pk, description=MAY)
    save_standings(contest.pk, parsed=parsed("rank,handle\n1,ANNIE\n2,bob\n"))
    assert contest.standings.get(rank=1).player == ann


def test_one_player_under_two_names_is_refused_with_an_explanation():
    ann = make_player("ann")
    ann.aliases.create(handle="Annie", handle_key="annie")
    contest = create_contest(make_series().pk, description=MAY)
    with pytest.raises(ContestError, match="“Annie” and “ann” are two names of the same player"):
        save_standings(contest.pk, parsed=parsed("rank,handle\n1,ann\n2,bob\n3,Annie\n"))
    assert contest.standings.count() == 0
    assert not Player.objects.filter(handle="bob").exists()


def test_finalized_standings_are_not_overwritten():
    contest = make_contest(players=3, finalized=False)
    finalize_contest(contest.pk)
    with pytest.raises(ContestError, match="Correct individual rows"):
        save_standings(contest.pk, parsed=parsed("rank,handle\n1,ann\n2,bob\n"))
    with pytest.raises(ContestError, match="is finalized; give the reason"):
        describe_contest(contest.pk, description=MAY)
    assert contest.standings.count() == 3


def test_the_description_of_a_draft_can_change():
    contest = create_contest(make_series().pk, description=MAY)
    describe_contest(contest.pk, description=replace(MAY, name="June Open", weight=2.0))
    contest.refresh_from_db()
    assert (contest.name, contest.weight, contest.slug) == ("June Open", 2.0, "may-open")
    entry = AuditEntry.objects.get(action="contest.describe")
    assert (entry.before["name"], entry.after["name"]) == ("May Open", "June Open")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"weight": 0.0}, "weight"),
        ({"weight": 5000.0}, "at most 1,000"),
        ({"weight": math.nan}, "weight"),
        ({"perf_ceiling": math.nan}, "performance ceiling"),
        ({"perf_ceiling": -math.inf}, "performance ceiling"),
    ],
)
def test_numbers_that_make_rating_impossible_are_refused(said, message):
    series = make_series()
    with pytest.raises(ContestError, match=message):
        create_contest(series.pk, description=replace(MAY, **said))
    draft = create_contest(series.pk, description=MAY)
    with pytest.raises(ContestError, match=message):
        describe_contest(draft.pk, description=replace(MAY, **said))


def test_a_series_needs_a_name():
    series = make_series("cup")
    with pytest.raises(ContestError, match="needs a name"):
        describe_series(series.pk, name="  ", description="", is_public=True)


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgres_only
def test_two_organizers_may_save_the_same_new_players_at_once():
    """The order of the players in the two files must not lead to a deadlock."""
    names = [f"player{number}" for number in range(20_000)]
    tables = [
        parsed("rank,handle\n" + "".join(f"{rank},{name}\n" for rank, name in enumerate(order, start=1)))
        for order in (names, names[::-1])
    ]
    drafts = [make_contest(finalized=False) for _ in tables]

    def save(contest, table):
        try:
            return save_standings(contest.pk, parsed=table).standing_count
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(save, drafts, tables)) == [20_000, 20_000]
    assert Player.objects.count() == 20_000
