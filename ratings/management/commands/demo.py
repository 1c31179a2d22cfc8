"""Fill the site with a generated demo community."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand

from contests.demo.community import generate_community
from contests.management.commands._arguments import answer
from contests.services.seeding import store_community
from ratings.management.commands._rating import rate_with_bar
from ratings.models import Run
from ratings.publishing.schemes import choose_scheme

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from pathlib import Path

    from django.contrib.auth.models import User

ORGANIZER = "demo"


class Command(BaseCommand):
    help = (
        "Create a demo community from a seed: 480 players and 60 contests in two series, rated and published, and an "
        "organizer's account. Running it again changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--seed", type=int, default=2024, help="another seed creates another community (default 2024)"
        )
        parser.add_argument("--json", action="store_true", dest="as_json", help="print the result as JSON")

    def handle(self, *args: Any, seed: int, as_json: bool, **options: Any) -> None:
        password_file = settings.PODIUM_VAR / "demo-password"
        organizer = demo_organizer(password_file)
        community = generate_community(until=datetime.now(UTC), seed=abs(seed))
        runs = []
        for series in store_community(community, organizer=organizer):
            if not Run.objects.filter(series=series).exists():
                choose_scheme(series.pk, display=_display(series.slug), actor=organizer, **_options(series.slug))
            rate_with_bar(series.pk)
            runs.append(Run.objects.current(series.pk))
        result: dict[str, Any] = {
            "series": [run.series.slug for run in runs if run is not None],
            "players": sum(run.player_count for run in runs if run is not None),
            "organizer": ORGANIZER,
            "password_file": str(password_file),
        }
        words = (
            f"Demonstration ready: {', '.join(result['series'])}. "
            f"Organizer “{ORGANIZER}”, password in {password_file}: {password_file.read_text()}"
        )
        answer(self, result, words, as_json=as_json)


def demo_organizer(password_file: Path) -> User:
    """Return the organizer's account; a new one gets a random password, in a file that only its owner can read."""
    accounts = get_user_model().objects
    user = accounts.filter(username=ORGANIZER).first()
    if user is not None and password_file.exists():
        return user
    password = secrets.token_urlsafe(9)
    password_file.parent.mkdir(parents=True, exist_ok=True)
    password_file.touch(mode=0o600)
    password_file.write_text(password)
    user = user or accounts.create_user(ORGANIZER)
    user.set_password(password)
    user.save()
    return user


def _display(slug: str) -> dict[str, Any]:
    """Return the display of a series, so that the two series show the two mappings."""
    return {"mapping": "fermi", "range": 10000} if slug == "night-relay" else {"mapping": "offset"}


def _options(slug: str) -> dict[str, Any]:
    """Return the options of a series, so that one of the two also shows leagues and season points."""
    if slug != "harbour-cup":
        return {}
    return {"leagues": {"assignment": "moving_average"}, "season": {"length": "year"}}
