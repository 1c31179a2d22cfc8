"""Communities as shards: foreign keys assign each table to communities as the decision says."""

from __future__ import annotations

import re
from pathlib import Path

from django.apps import apps

from contests.models import Community

DECISION = Path(__file__).resolve().parents[2] / "docs/decisions/0017-communities.md"
#: The owner of a row by its foreign key, in the words of the decision.
OWNERS = {"`community_id`": "Community", "the series": "Series", "the contest": "Contest", "the player": "Player"}


def test_every_table_belongs_to_a_community_as_the_decision_says():
    text = DECISION.read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([A-Z][\w, ]+) \| (.+) \|$", text, re.MULTILINE)
    said = {name: owner for names, owner in rows for name in names.split(", ")}
    models = [model for app in ("contests", "ratings", "accounts") for model in apps.get_app_config(app).get_models()]
    assert said.keys() == {model.__name__ for model in models if model is not Community}
    for model in models:
        owners = said.get(model.__name__, "").split(", or ")
        keys = {field.related_model.__name__ for field in model._meta.concrete_fields if field.is_relation}
        expected = {OWNERS[words] for words in owners if words in OWNERS}
        assert expected <= keys, model
        assert expected or model.__name__ in ("Community", "AuditChain", "KnownWord"), model
