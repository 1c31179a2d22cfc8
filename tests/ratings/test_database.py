"""Readers in a snapshot see the database as it was at one moment."""

import pytest
from django.db import connection

from ratings.database import consistent_read
from ratings.models import Run
from tests.factories import make_contest, make_series, rate
from tests.processes import in_another_thread


@pytest.mark.django_db(transaction=True)
def test_a_reader_in_a_snapshot_does_not_see_what_is_published_meanwhile():
    series = make_series()
    make_contest(series, players=4)
    rate(series)
    make_contest(series, players=4)
    with consistent_read():
        assert Run.objects.current(series.pk).number == 1
        published = in_another_thread(lambda: rate(series).number)
        assert published == 2
        assert Run.objects.current(series.pk).number == 1
    assert Run.objects.current(series.pk).number == 2


@pytest.mark.django_db(transaction=True)
def test_an_error_inside_a_snapshot_leaves_the_connection_usable():
    class Stop(Exception):
        pass

    with pytest.raises(Stop), consistent_read():
        raise Stop
    assert not connection.in_atomic_block
    assert Run.objects.count() == 0
