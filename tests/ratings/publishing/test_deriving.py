"""Derived numbers: computed once for the displayed run, kept while they are valid, and never before ratings."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from ratings.derived import Derivation, derived, newest_derived, pack, unpack
from ratings.models import Derived
from ratings.publishing import deriving
from ratings.publishing import queue as ringing
from ratings.publishing.deriving import derive_series, series_to_derive
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, rate

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup():
    series = make_series("cup")
    make_contest(series, players=3)
    rate(series)
    return series


@pytest.fixture
def kinds(monkeypatch):
    """A function that puts other derivations in the place of ours."""

    def put(*chosen: Derivation) -> None:
        monkeypatch.setattr(deriving, "derivations", lambda: chosen)

    return put


def count_players(snapshot):
    return {"scores": snapshot.index.scores, "number": len(snapshot.index), "words": "three"}


COUNT = Derivation("count", count_players)


def test_content_comes_back_as_it_was():
    content = {"a": np.arange(3), "b": np.array([[0.5, np.nan]]), "values": {"x": [1, None]}, "text": "ü"}
    back = unpack(pack(content))
    assert set(back) == set(content)
    assert back["a"].dtype == np.int64
    assert (back["a"] == content["a"]).all()
    assert np.array_equal(back["b"], content["b"], equal_nan=True)
    assert (back["values"], back["text"]) == (content["values"], "ü")


def test_what_was_derived_belongs_to_the_run_that_is_shown(cup, kinds):
    kinds(COUNT)
    assert derived(snapshot_of(cup), COUNT) is None
    assert series_to_derive() == [cup.pk]
    assert derive_series(cup.pk) == ["count"]
    assert derived(snapshot_of(cup), COUNT)["number"] == 3
    assert derive_series(cup.pk) == series_to_derive() == []
    make_contest(cup, players=5)
    rate(cup)
    assert derived(snapshot_of(cup), COUNT) is None
    derive_series(cup.pk)
    assert derived(snapshot_of(cup), COUNT)["number"] == 5
    assert Derived.objects.count() == 1


def test_a_new_display_is_derived_again_without_a_new_run(cup, kinds):
    kinds(COUNT)
    derive_series(cup.pk)
    choose_scheme(cup.pk, display={"mapping": "fermi", "range": 1000})
    assert derived(snapshot_of(cup), COUNT) is None
    assert series_to_derive() == [cup.pk]


def test_a_failure_is_stored_and_retried_with_the_next_run(cup, kinds):
    def fail(snapshot):
        raise ZeroDivisionError("no such luck")

    kinds(Derivation("broken", fail), COUNT)
    assert derive_series(cup.pk) == ["broken", "count"]
    assert Derived.objects.get(kind="broken.1").error == "ZeroDivisionError: no such luck"
    assert derived(snapshot_of(cup), COUNT)["number"] == 3
    assert series_to_derive() == []
    make_contest(cup, players=5)
    rate(cup)
    assert series_to_derive() == [cup.pk]


def test_content_with_a_maximum_age_is_reused_until_newer_content_exists(cup, kinds):
    kept = Derivation("slow", count_players, max_age=timedelta(hours=1))
    kinds(kept)
    derive_series(cup.pk)
    make_contest(cup, players=5)
    rate(cup)
    assert derive_series(cup.pk) == []
    content, row = newest_derived(snapshot_of(cup), kept)
    assert (content["number"], row.run.number) == (3, 1)
    Derived.objects.update(made_at=timezone.now() - timedelta(hours=2))
    assert derive_series(cup.pk) == ["slow"]
    content, row = newest_derived(snapshot_of(cup), kept)
    assert (content["number"], row.run.number, Derived.objects.count()) == (5, 2, 1)


def test_another_system_does_not_reuse_older_content(cup, kinds):
    kinds(Derivation("slow", count_players, max_age=timedelta(hours=1)))
    derive_series(cup.pk)
    choose_scheme(cup.pk, system="elo")
    rate(cup)
    assert derive_series(cup.pk) == ["slow"]


def test_only_what_applies_is_derived(cup, kinds):
    kinds(Derivation("never", count_players, applies=lambda snapshot: False))
    assert derive_series(cup.pk) == series_to_derive() == []


def test_another_version_of_a_kind_is_made_again(cup, kinds):
    kinds(COUNT)
    derive_series(cup.pk)
    newer = Derivation("count", count_players, version=2)
    kinds(newer)
    assert derived(snapshot_of(cup), newer) is None
    assert derive_series(cup.pk) == ["count"]
    assert [row.kind for row in Derived.objects.all()] == ["count.2"]


def test_kinds_have_names_of_their_own():
    names = [each.stored_kind for each in deriving.derivations()]
    assert len(set(names)) == len(names) > 0


@pytest.mark.parametrize("count", [1, 3])
def test_runs_are_published_even_if_the_broker_is_unavailable(cup, monkeypatch, count):
    def away(*args, **options):
        raise OSError("no broker")

    monkeypatch.setattr(ringing.current_app, "send_task", away)
    for _ in range(count):
        make_contest(cup, players=4)
        assert rate(cup).state == "published"
