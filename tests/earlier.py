"""The database as an earlier version left it, for tests of migrations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest import mock

from django.db import connection
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor

if TYPE_CHECKING:
    from django.db.migrations.state import ProjectState


def earlier(app: str, name: str) -> Any:
    """Migrate back to a migration and return the models as they were then; the caller migrates forward again."""
    with mock.patch.object(Migration, "mutate_state", _mutate_unrendered):
        return MigrationExecutor(connection).migrate([(app, name)]).apps


def _mutate_unrendered(migration: Migration, state: ProjectState, preserve: bool = True) -> ProjectState:
    """
    Do what `Migration.mutate_state` does, without rendering model classes.

    Django renders the classes again after each operation, although the next migration needs only the final ones.
    """
    state = state.clone() if preserve else state
    state.__dict__.pop("apps", None)
    for operation in migration.operations:
        operation.state_forwards(migration.app_label, state)
    return state
