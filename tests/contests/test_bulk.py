"""Arrays are written and read back unchanged: with COPY on PostgreSQL, with statements on SQLite."""

import numpy as np
import pytest
from django.db import DataError, IntegrityError, transaction

from contests.bulk import (
    chunks,
    insert_arrays,
    insert_missing,
    insert_objects,
    insert_rows,
    insert_variants,
    read_arrays,
    update_rows,
    values_by_key,
)
from contests.models import Contest, Player, Standing
from tests.factories import make_contest, make_player

pytestmark = pytest.mark.django_db

READ = "SELECT CAST(player_id AS bigint), CAST(rank AS integer), CAST(score AS double precision) FROM contests_standing"
TYPES = {"player": "i8", "rank": "i4", "score": "f8"}


def columns(count):
    contest = make_contest(finalized=False)
    players = np.array([make_player(f"p{i}").pk for i in range(count)], dtype=np.int64)
    ranks = np.arange(1, count + 1)
    scores = np.array([1 / 3, -1.5e-7, 1e300, 5e-324, 0.1][:count])
    return {
        "contest_id": np.full(count, contest.pk),
        "player_id": players,
        "place": ranks,
        "rank": ranks,
        "score": scores,
    }


def test_numbers_survive_to_the_last_bit():
    written = columns(5)
    assert insert_arrays(Standing, written) == 5
    read = read_arrays(f"{READ} ORDER BY rank", [], TYPES)
    assert read["player"].tolist() == written["player_id"].tolist()
    assert read["rank"].tolist() == [1, 2, 3, 4, 5]
    assert read["score"].tobytes() == written["score"].tobytes()
    assert set(Standing.objects.values_list("status", "team")) == {("ranked", "")}, "what is not named has its default"


def test_many_blocks_arrive_complete(monkeypatch):
    monkeypatch.setattr("contests.bulk._BLOCK", 2)
    insert_arrays(Standing, columns(5))
    read = read_arrays(f"{READ} ORDER BY rank", [], TYPES)
    assert read["rank"].tolist() == [1, 2, 3, 4, 5]
    assert len(read["score"]) == Standing.objects.count() == 5


def test_no_rows_need_no_statement(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert insert_arrays(Standing, {"contest_id": np.empty(0, dtype=np.int64)}) == 0


def test_reading_nothing_gives_empty_columns_of_the_right_type():
    read = read_arrays(READ, [], TYPES)
    assert {name: (len(column), column.dtype.str[1:]) for name, column in read.items()} == {
        name: (0, dtype) for name, dtype in TYPES.items()
    }


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="different lengths"):
        insert_arrays(Standing, {"contest_id": np.arange(2), "player_id": np.arange(3)})


def test_rows_with_nulls_and_text_are_written_too():
    contest, ann, bob = make_contest(finalized=False), make_player("ann"), make_player("bob")
    rows = [
        (contest.pk, ann.pk, 1, 1, None, "ranked", "Δ\tteam\\N"),
        (contest.pk, bob.pk, None, None, 2.5, "unofficial", ""),
    ]
    insert_rows(Standing, ("contest_id", "player_id", "place", "rank", "score", "status", "team"), rows)
    assert list(Standing.objects.order_by("player_id").values_list("place", "score", "status", "team")) == [
        (1, None, "ranked", "Δ\tteam\\N"),
        (None, 2.5, "unofficial", ""),
    ]


def test_objects_are_stored_with_all_their_fields_as_the_orm_stores_them():
    event = make_contest(finalized=False)
    common = {"series": event.series, "ends_at": event.ends_at}
    made = [
        Contest(slug="plain", name="Plain", **common),
        Contest(slug="full", name="½-½ \t\\N", event=event, weight=1 / 3, is_rated=False, round="Final", **common),
    ]
    insert_objects(made)
    by_orm = Contest(slug="orm", name="ORM", **common)
    Contest.objects.bulk_create([by_orm])
    assert len({*(each.pk for each in made), by_orm.pk}) == 3
    plain, full, orm = (Contest.objects.values().get(slug=slug) for slug in ("plain", "full", "orm"))
    assert plain.pop("created_at") <= orm.pop("created_at")
    differing = ("id", "slug", "name")
    assert {**plain, **dict.fromkeys(differing)} == {**orm, **dict.fromkeys(differing)}
    assert (full["id"], full["name"], full["event_id"], full["weight"], full["is_rated"], full["round"]) == (
        made[1].pk, "½-½ \t\\N", event.pk, 1 / 3, False, "Final",
    )  # fmt: skip
    made[0].name = "Renamed"
    made[0].save()
    assert Contest.objects.get(pk=made[0].pk).name == "Renamed"


def test_variants_of_an_object_are_stored_as_the_orm_stores_them():
    event = make_contest(finalized=False)
    template = Contest(series=event.series, ends_at=event.ends_at, weight=2.0)
    names = ("slug", "name", "event_id", "round")
    keys = insert_variants(template, names, [("one", "½-½ \t\\N", event.pk, ""), ("two", "Two", None, "Final")])
    by_orm = Contest.objects.create(series=event.series, ends_at=event.ends_at, weight=2.0, slug="orm", name="ORM")
    one, two, orm = (Contest.objects.values().get(slug=slug) for slug in ("one", "two", "orm"))
    assert [one["id"], two["id"]] == keys
    assert by_orm.pk not in keys
    created = [each.pop("created_at") for each in (one, two, orm)]
    assert created == sorted(created)
    changed = {"id", *names}
    assert all({**each, **dict.fromkeys(changed)} == {**orm, **dict.fromkeys(changed)} for each in (one, two))
    assert [(row["name"], row["event_id"], row["round"]) for row in (one, two)] == [
        ("½-½ \t\\N", event.pk, ""), ("Two", None, "Final"),
    ]  # fmt: skip
    with pytest.raises(IntegrityError), transaction.atomic():
        insert_variants(template, ("slug", "name"), [("one", "Again")])


def test_objects_that_violate_a_constraint_are_an_integrity_error():
    known = make_contest(finalized=False)
    again = Contest(series=known.series, slug=known.slug, name="Again", ends_at=known.ends_at)
    with pytest.raises(IntegrityError), transaction.atomic():
        insert_objects([again])


def test_existing_rows_are_skipped_and_the_others_inserted():
    known = make_player("ann", name="Ann Ng")
    names = ("community_id", "handle", "handle_key", "name", "country", "created_at")
    rows = [
        ("main", "Ann", "ann", "Other", "", known.created_at),
        ("main", "bob", "bob", "B'ob; {}\\", "DE", known.created_at),
    ]
    insert_missing(Player, names, rows)
    assert list(Player.objects.order_by("handle_key").values_list("handle", "name", "country", "affiliation")) == [
        ("ann", "Ann Ng", "", ""),
        ("bob", "B'ob; {}\\", "DE", ""),
    ]


@pytest.mark.postgres_only
def test_values_too_long_for_their_column_are_refused_not_cut():
    now = make_player().created_at
    with pytest.raises(DataError), transaction.atomic():
        insert_missing(Player, ("handle", "handle_key", "created_at"), [("x" * 129, "x", now)])


def test_values_are_found_by_key_in_one_query(django_assert_num_queries):
    ids = {handle: make_player(handle).pk for handle in ("ann", "o'brien", "日本", '"x"')}
    with django_assert_num_queries(1):
        found = values_by_key(Player, "handle_key", "id", [*ids, "nobody", *(f"n{i}" for i in range(2000))])
    assert found == ids
    with django_assert_num_queries(0):
        assert values_by_key(Player, "handle_key", "id", []) == {}


def test_rows_are_updated_by_their_keys_and_others_left_alone():
    contest = make_contest(standings=[("ann", 1), ("bob", 2), ("cy", 3)], finalized=False)
    ann, bob = contest.standings.order_by("rank")[:2]
    update_rows(
        Standing,
        ("place", "rank", "score", "status"),
        [(ann.pk, 2, None, None, "unofficial"), (bob.pk, 1, 1, 0.1, "ranked")],
    )
    update_rows(Standing, ("place",), [])
    assert list(contest.standings.order_by("player__handle").values_list("place", "rank", "score", "status")) == [
        (2, None, None, "unofficial"),
        (1, 1, 0.1, "ranked"),
        (3, 3, None, "ranked"),
    ]


@pytest.mark.postgres_only
def test_a_null_where_a_number_was_promised_is_noticed():
    contest = make_contest(standings=[("ann", 1, None), ("bob", 2, 1.0)], finalized=False)
    assert contest.standings.count() == 2
    with pytest.raises(ValueError, match=r"null|bytes expected"):
        read_arrays(READ, [], TYPES)


def test_chunks_cover_everything_once():
    values = list(range(2001))
    assert [value for part in chunks(values) for value in part] == values
    assert max(len(part) for part in chunks(values)) <= 900
