"""Drafts are described and given standings; nothing counts before it is final."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from contests.errors import ContestError
from contests.formats import read_contests
from contests.models import AuditEntry, Contest, Player
from contests.services.drafting import ContestDescription, create_contest, describe_contest, save_standings
from contests.services.finalizing import finalize_contest
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
    with pytest.raises(ContestError, match="has a contest “may-open” already"):
        create_contest(series.pk, description=MAY, slug="may-open")


def test_a_contest_cannot_end_before_it_starts():
    late = replace(MAY, starts_at=MAY.ends_at + timedelta(hours=1))
    with pytest.raises(ContestError, match="before it starts at 2025-05-01 19:00 UTC"):
        create_contest(make_series().pk, description=late)
    assert not Contest.objects.exists()


def test_saved_standings_replace_those_before_and_rate_nothing():
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


def test_one_player_under_two_names_is_refused_in_words():
    ann = make_player("ann")
    ann.aliases.create(handle="Annie", handle_key="annie")
    contest = create_contest(make_series().pk, description=MAY)
    with pytest.raises(ContestError, match="“Annie” and “ann” are one player"):
        save_standings(contest.pk, parsed=parsed("rank,handle\n1,ann\n2,bob\n3,Annie\n"))
    assert contest.standings.count() == 0
    assert not Player.objects.filter(handle="bob").exists()


def test_what_is_final_is_not_overwritten():
    contest = make_contest(players=3, finalized=False)
    finalize_contest(contest.pk)
    with pytest.raises(ContestError, match="is finalized; correct single rows"):
        save_standings(contest.pk, parsed=parsed("rank,handle\n1,ann\n2,bob\n"))
    with pytest.raises(ContestError, match="is finalized"):
        describe_contest(contest.pk, description=MAY)
    assert contest.standings.count() == 3


def test_a_draft_can_be_described_anew():
    contest = create_contest(make_series().pk, description=MAY)
    describe_contest(contest.pk, description=replace(MAY, name="June Open", weight=2.0))
    contest.refresh_from_db()
    assert (contest.name, contest.weight, contest.slug) == ("June Open", 2.0, "may-open")
    entry = AuditEntry.objects.get(action="contest.describe")
    assert (entry.before["name"], entry.after["name"]) == ("May Open", "June Open")
