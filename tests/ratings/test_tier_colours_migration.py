"""The migration that gives tiers in the former default colours the new ones."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from ratings.models import DefaultDisplay, Scheme
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_series

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

FORMER_TOP = {"name": "Gold", "minimum": 1800, "colour_light": "#92654b", "colour_dark": "#fee431", "symbol": "★"}
OWN = {"name": "Deck", "minimum": None, "colour_light": "#1a4f8b", "colour_dark": "#9ac7ff", "symbol": "d"}


class Editor:
    connection = connection


def test_former_default_colours_become_the_new_ones_and_custom_colours_stay():
    migration = import_module("ratings.migrations.0010_tier_colours")
    scheme = choose_scheme(make_series("one").pk, tiers=[OWN, FORMER_TOP])
    other = choose_scheme(make_series("two").pk, tiers=[OWN])
    default = DefaultDisplay.objects.create(community_id="main", system="elo", display={}, tiers=[OWN, FORMER_TOP])
    migration.recolour(apps, Editor)
    renewed = {**FORMER_TOP, "colour_light": "#c7004a", "colour_dark": "#fe3a6c"}
    assert Scheme.objects.get(pk=scheme.pk).tiers == [OWN, renewed]
    assert DefaultDisplay.objects.get(pk=default.pk).tiers == [OWN, renewed]
    assert Scheme.objects.get(pk=other.pk).tiers == [OWN]
    migration.restore(apps, Editor)
    assert Scheme.objects.get(pk=scheme.pk).tiers == [OWN, FORMER_TOP]
