"""Fill the site with a generated demo community."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand

from contests.demo.community import generate_community, generate_neighbours
from contests.management.commands._arguments import answer
from contests.models import Role
from contests.services.seeding import store_community
from ratings.management.commands._rating import rate_with_bar
from ratings.models import Run
from ratings.publishing.schemes import choose_scheme

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from pathlib import Path

    from django.contrib.auth.models import User

#: The accounts of the demo by what they may do: the owner of both communities, an organizer of one, and a visitor.
ACCOUNTS = {"owner": "demo", "organizer": "demo-organizer", "contestant": "demo-contestant"}


class Command(BaseCommand):
    help = (
        "Create two demo communities from a seed: one of 480 players and 60 contests in two series, and a small one; "
        "rated and published, with the accounts of an owner, an organizer and a contestant. Running it again changes "
        "nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--seed", type=int, default=2024, help="another seed creates other communities (default 2024)"
        )
        parser.add_argument("--json", action="store_true", dest="as_json", help="print the result as JSON")

    def handle(self, *args: Any, seed: int, as_json: bool, **options: Any) -> None:
        password_file = settings.PODIUM_VAR / "demo-password"
        accounts = demo_accounts(password_file)
        owner, now = accounts["owner"], datetime.now(UTC)
        series = store_community(
            generate_community(until=now, seed=abs(seed)),
            organizer=owner,
            members={Role.ORGANIZER: accounts["organizer"]},
        )
        series += store_community(generate_neighbours(until=now, seed=abs(seed)), organizer=owner)
        runs = []
        for one in series:
            if not Run.objects.filter(series=one).exists():
                choose_scheme(one.pk, display=_display(one.slug), actor=owner, **_options(one.slug))
            rate_with_bar(one.pk)
            runs.append(Run.objects.current(one.pk))
        result: dict[str, Any] = {
            "communities": sorted({one.community_id for one in series}),
            "series": [run.series.full_slug for run in runs if run is not None],
            "players": sum(run.player_count for run in runs if run is not None),
            "accounts": ACCOUNTS,
            "password_file": str(password_file),
        }
        listed = ", ".join(f"{name} ({role})" for role, name in ACCOUNTS.items())
        words = (
            f"The demo is ready: {', '.join(result['series'])}. Accounts: {listed}; their password, in "
            f"{password_file}: {password_file.read_text()}"
        )
        answer(self, result, words, as_json=as_json)


def demo_accounts(password_file: Path) -> dict[str, User]:
    """Return the accounts by role; new ones get one random password, in a file that only its owner can read."""
    known = {user.get_username(): user for user in get_user_model().objects.filter(username__in=ACCOUNTS.values())}
    if len(known) < len(ACCOUNTS) or not password_file.exists():
        password = password_file.read_text() if password_file.exists() else secrets.token_urlsafe(9)
        password_file.parent.mkdir(parents=True, exist_ok=True)
        password_file.touch(mode=0o600)
        password_file.write_text(password)
        for name in ACCOUNTS.values():
            user = known.get(name) or get_user_model()(username=name, email=f"{name}@example.org")
            user.set_password(password)
            user.save()
            known[name] = user
    return {role: known[name] for role, name in ACCOUNTS.items()}


def _display(slug: str) -> dict[str, Any]:
    """Return the display of a series, so that the two series show the two mappings."""
    return {"mapping": "fermi", "range": 10000} if slug.endswith("-relay") else {"mapping": "offset"}


def _options(slug: str) -> dict[str, Any]:
    """Return the options of a series, so that one of the two also shows leagues and season points."""
    if slug != "harbour-cup":
        return {}
    return {"leagues": {"assignment": "moving_average"}, "season": {"length": "year"}}
