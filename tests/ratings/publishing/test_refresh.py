"""Refreshing a series: append and replay agree to the last bit, and only differences are written."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from contests.services.contests import delete_contest
from contests.services.correcting import Correction, correct_standing
from ratings.models import Rating, RatingChange, Run, RunState, StaleMark
from ratings.publishing import refresh
from ratings.publishing.leases import lease
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, make_series, rate

COLUMNS = ("player__handle", "mu", "sigma", "score", "contest_count", "peak", "last_contest_id", "belief")
CHANGES = (
    "contest_id",
    "player__handle",
    "rank",
    "field_size",
    "mu_before",
    "sigma_before",
    "mu",
    "sigma",
    "performance",
)


def ratings(series):
    rows = Rating.objects.filter(series=series).order_by("player__handle").values_list(*COLUMNS)
    return [(*row[:-1], bytes(row[-1])) for row in rows]


def changes(series):
    rows = RatingChange.objects.current().filter(series=series)
    return list(rows.order_by("contest_id", "player__handle").values_list(*CHANGES))


@pytest.mark.django_db
def test_the_newest_contest_is_appended_and_older_ones_are_replayed():
    series = make_series()
    make_contest(series, players=6, day=1)
    first = rate(series)
    assert (first.number, first.state, first.kind, first.changed_count) == (1, RunState.PUBLISHED, "replay", 6)
    make_contest(series, players=4, day=2)
    second = rate(series)
    assert (second.kind, second.changed_count, second.contest_count, second.player_count) == ("append", 4, 2, 6)
    make_contest(series, standings=[("new", 1), ("p0", 2)], day=0)
    third = rate(series)
    assert (third.kind, third.contest_count, third.player_count) == ("replay", 3, 7)
    assert not StaleMark.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("system", ["elo-mmr", "kreimeier"])  # the second one looks at all players of the series
def test_another_series_neither_stops_an_append_nor_takes_part_in_it(system):
    series, other = make_series(), make_series()
    for each in (series, other):
        choose_scheme(each.pk, system=system)
    make_contest(series, players=4, day=1)
    rate(series)
    make_contest(other, players=6, day=50)
    rate(other)
    make_contest(series, standings=[("p1", 1), ("p0", 2), ("p2", 3)], day=2)
    assert rate(series).kind == "append"
    appended = ratings(series)
    assert len(appended) == 4
    rate(series, full=True)
    assert ratings(series) == appended


@pytest.mark.django_db
def test_nothing_stale_means_no_run():
    series = make_series()
    assert rate(series) is None
    make_contest(series, players=3)
    rate(series)
    assert rate(series) is None
    assert Run.objects.count() == 1


@pytest.mark.django_db
def test_a_full_replay_of_unchanged_results_writes_no_row():
    series = make_series()
    for day in range(4):
        make_contest(series, players=8, day=day)
        rate(series)
    before, appended = (ratings(series), changes(series)), Run.objects.current(series.pk)
    run = rate(series, full=True)
    assert (run.kind, run.changed_count, run.input_hash) == ("replay", 0, appended.input_hash)
    assert (ratings(series), changes(series)) == before
    assert RatingChange.objects.filter(until_run__isnull=False).count() == 0


@pytest.mark.django_db
def test_a_correction_closes_rows_and_opens_others_and_the_old_run_can_still_be_read():
    series = make_series()
    early, late = make_contest(series, players=5, day=0), make_contest(series, players=5, day=1)
    first = rate(series)
    old = changes(series)
    row = late.standings.get(player__handle="p0")
    correct_standing(row.pk, correction=Correction("disqualified", place=1), reason="robot")
    second = rate(series)
    assert second.changed_count == 5, "all of the later contest, with the one who is gone; none of the earlier contest"
    assert RatingChange.objects.current().filter(contest=early, from_run=first.number).count() == 5
    assert not RatingChange.objects.current().filter(contest=late, player__handle="p0").exists()
    as_of_first = RatingChange.objects.as_of(first.number).order_by("contest_id", "player__handle")
    assert list(as_of_first.values_list(*CHANGES)) == old


@pytest.mark.django_db
def test_a_deleted_contest_leaves_the_ratings_as_if_it_had_never_been():
    series, other = make_series(), make_series()
    for one in (series, other):
        make_contest(one, players=5, day=0)
    extra = make_contest(series, standings=[("p4", 1), ("guest", 2), ("p0", 3)], day=1)
    for one in (series, other):
        make_contest(one, players=4, day=2)
    rate(series)
    rate(other)
    delete_contest(extra.pk, reason="not ours")
    run = rate(series)
    without_ids = [row[:5] for row in ratings(series)]
    assert without_ids == [row[:5] for row in ratings(other)]
    assert run.player_count == 5, "the guest took part in nothing else"


@pytest.mark.django_db
def test_contests_of_one_entry_and_unrated_ones_are_skipped():
    series = make_series()
    make_contest(series, standings=[("ann", 1)])
    make_contest(series, players=3, is_rated=False)
    run = rate(series)
    assert (run.contest_count, run.player_count) == (0, 0)
    assert not Rating.objects.exists()


@pytest.mark.django_db
def test_a_draw_is_appended_like_any_other_contest():
    series = make_series()
    make_contest(series, players=3, day=0)
    rate(series)
    make_contest(series, standings=[("p0", 1), ("p2", 1)], day=1)
    run = rate(series)
    assert (run.kind, run.changed_count, run.contest_count) == ("append", 2, 2)
    best, last = (Rating.objects.get(series=series, player__handle=handle) for handle in ("p0", "p2"))
    assert best.contest_count == last.contest_count == 2
    first = RatingChange.objects.filter(series=series, contest__ends_at__lt=best.last_contest.ends_at)
    assert best.mu < first.get(player__handle="p0").mu
    assert last.mu > first.get(player__handle="p2").mu


@pytest.mark.django_db
def test_another_system_replays_everything_and_another_display_nothing():
    series = make_series()
    make_contest(series, players=5)
    rate(series)
    before = changes(series)
    choose_scheme(series.pk, display={"mapping": "fermi", "range": 10000})
    assert rate(series) is None
    choose_scheme(series.pk, parameters={"weight_limit": 0.3})
    run = rate(series)
    assert run.changed_count == 5
    assert changes(series) != before


@pytest.mark.django_db
def test_a_failed_run_keeps_the_marks_and_the_published_ratings(monkeypatch):
    series = make_series()
    make_contest(series, players=5)
    rate(series)
    before = changes(series)
    make_contest(series, players=5)
    monkeypatch.setattr(refresh, "publish", _broken)
    with pytest.raises(OSError, match="disk full"):
        rate(series)
    failed = Run.objects.order_by("-number").first()
    assert (failed.state, failed.error[:19]) == (RunState.FAILED, "An unexpected error")
    assert changes(series) == before
    assert StaleMark.objects.filter(series=series).exists()
    monkeypatch.undo()
    assert rate(series).kind == "append"


@pytest.mark.django_db
def test_what_becomes_stale_while_a_run_begins_belongs_to_that_run(monkeypatch):
    """Marks are read in the snapshot of the results; otherwise a replay could rate a contest but not write its rows."""
    series = make_series()
    make_contest(series, players=4, day=1)
    make_contest(series, players=4, day=2)
    rate(series)
    begin = refresh.begin_run

    def begin_slowly(*args, **fields):
        run = begin(*args, **fields)
        make_contest(series, players=4, day=0)
        return run

    row = series.contests.newest_first().first().standings.get(player__handle="p0")
    correct_standing(row.pk, correction=Correction("disqualified", place=1), reason="robot")
    monkeypatch.setattr(refresh, "begin_run", begin_slowly)
    with lease(series.pk) as held:
        run = refresh._run_once(held, False, None)
    assert sum(Rating.objects.values_list("contest_count", flat=True)) == RatingChange.objects.current().count()
    assert "Finalized" in run.cause
    assert not StaleMark.objects.filter(series=series).exists()


@pytest.mark.django_db
def test_a_run_uses_rules_that_are_chosen_while_it_begins(monkeypatch):
    series = make_series()
    make_contest(series, players=4)
    choose_scheme(series.pk)
    begin = refresh.begin_run

    def begin_slowly(*args, **fields):
        run = begin(*args, **fields)
        choose_scheme(series.pk, parameters={"weight_limit": 0.4})
        return run

    monkeypatch.setattr(refresh, "begin_run", begin_slowly)
    with lease(series.pk) as held:
        run = refresh._run_once(held, False, None)
    run.refresh_from_db()
    assert run.scheme.parameters["weight_limit"] == 0.4
    published = changes(series)
    monkeypatch.undo()
    rate(series, full=True)
    assert changes(series) == published


@pytest.mark.django_db
def test_the_input_hash_is_that_of_a_replay_even_beside_contests_of_one_player():
    series = make_series()
    make_contest(series, players=4, day=0)
    alone = make_contest(series, standings=[("ann", 1)], day=1)
    rate(series)
    make_contest(series, players=3, day=1)
    appended = rate(series)
    assert appended.kind == "append"
    assert rate(series, full=True).input_hash == appended.input_hash
    delete_contest(alone.pk, reason="nobody came")
    assert rate(series).input_hash == appended.input_hash


@pytest.mark.django_db
def test_other_parameters_make_another_input_hash():
    series = make_series()
    make_contest(series, players=4)
    first = rate(series)
    choose_scheme(series.pk, parameters={"weight_limit": 0.3})
    assert rate(series).input_hash != first.input_hash


@pytest.mark.django_db
def test_when_all_contests_are_deleted_no_one_is_rated():
    series = make_series()
    contest = make_contest(series, players=4)
    rate(series)
    delete_contest(contest.pk, reason="a test")
    run = rate(series)
    assert (run.player_count, run.contest_count) == (0, 0)
    assert not Rating.objects.filter(series=series).exists()
    assert not RatingChange.objects.current().filter(series=series).exists()
    make_contest(series, players=3)
    assert rate(series).player_count == 3


@pytest.mark.django_db
def test_contests_long_before_1970_are_rated_like_any_others():
    series, modern = make_series(), make_series()
    for day in (-700_000, -699_000):
        make_contest(series, players=4, day=day)
        make_contest(modern, players=4, day=day + 700_000)
    rate(series)
    rate(modern)
    assert [row[:4] for row in ratings(series)] == [row[:4] for row in ratings(modern)]


def _broken(*args, **kwargs):
    raise OSError("disk full")


@pytest.mark.django_db
def test_a_run_left_behind_by_a_dead_worker_is_ended_by_the_next():
    series = make_series()
    make_contest(series, players=3)
    scheme = choose_scheme(series.pk)
    orphan = Run.objects.create(series=series, number=1, scheme=scheme, state=RunState.RUNNING, cause="")
    run = rate(series)
    orphan.refresh_from_db()
    assert (orphan.state, run.number, run.state) == (RunState.FAILED, 2, RunState.PUBLISHED)


entries = st.lists(st.integers(1, 5), min_size=1, max_size=6)
histories = st.lists(st.tuples(entries, st.sampled_from([0.25, 1.0, 2.0])), min_size=1, max_size=6)


class AppendEqualsReplay(TestCase):
    @settings(max_examples=25, deadline=None)
    @given(contests=histories, together=st.integers(0, 5))
    def test_appending_one_by_one_gives_the_same_bits_as_a_replay(self, contests, together):
        """Some contests are rated alone as they come, some in one batch; then everything is replayed."""
        series = make_series()
        for number, (places, weight) in enumerate(contests):
            names = [f"p{(i * 7 + number) % 9}" for i in range(len(places))]
            make_contest(series, standings=list(zip(names, places, strict=True)), weight=weight)
            if number != together:
                rate(series)
        rate(series)
        appended = ratings(series), changes(series), Run.objects.current(series.pk).input_hash
        rate(series, full=True)
        assert (ratings(series), changes(series), Run.objects.current(series.pk).input_hash) == appended
