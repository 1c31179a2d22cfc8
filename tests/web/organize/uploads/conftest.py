"""A draft for the files that tests upload."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ratings.publishing.schemes import scheme_of
from tests.factories import make_contest

if TYPE_CHECKING:
    from contests.models import Contest, Series


@pytest.fixture
def draft(series: Series) -> Contest:
    """Return a draft of a series that has its rating scheme."""
    scheme_of(series.pk)
    return make_contest(series, finalized=False)
