"""People of every role, each with a signed-in browser, and programs, in a world with a given visibility."""

from __future__ import annotations

from datetime import timedelta
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone

from accounts.models import ApiToken
from accounts.tokens import create_token
from contests.models import PlayerClaim, Upload, Visibility
from contests.services.communities import describe_community, set_role
from contests.uploads.reviewing import review_staged
from tests.attacks.rules import PROGRAMS, ROLES
from tests.factories import make_community, make_contest, make_series, make_user
from tests.web.organize.everything import build_world

if TYPE_CHECKING:
    from django.contrib.auth.models import User

#: The community of the world.
HOME = "main"


class Site:
    """
    A world, and people of every role in it.

    users
        By role; anonymous visitors have no account.
    clients
        Browsers and programs with tokens, by role. The browsers signed in before one account was deactivated.
    """

    def __init__(self, state: str) -> None:
        self.world = build_world(1, public=state != "private series")
        self.users: dict[str, User] = {role: self._make(role) for role in ROLES if role != "anonymous"}
        # The neighbour has brought new players; otherwise the first page of the review would store a new one.
        review_staged(self.world.staged)
        self.clients = {role: self._enter(role) for role in ROLES}
        self.clients |= {role: self._program(role.removesuffix("'s program")) for role in PROGRAMS}
        # As if just used: requests store the last use at most once an hour, and tests compare what is stored.
        ApiToken.objects.update(last_used_at=timezone.now())
        self.users["deactivated"].is_active = False
        self.users["deactivated"].save()
        self._name = Upload.objects.get(token=self.world.staged.token).file.name
        with default_storage.open(self._name, "rb") as file:
            self._file = file.read()
        if state in Visibility.values:
            self.show(state)

    def show(self, visibility: str) -> None:
        """Change who may read the community."""
        describe_community(HOME, name="Main", description="", visibility=visibility)
        self.world.series.refresh_from_db()

    def restore_file(self) -> None:
        """Store the file under review again if a form has deleted it: undoing the transaction does not restore it."""
        if not default_storage.exists(self._name):
            default_storage.save(self._name, ContentFile(self._file))

    def browser(self, role: str) -> Client:
        """Return another browser with the session of that role, for requests that may end the session."""
        client = Client(raise_request_exception=False)
        client.cookies = SimpleCookie(self.clients[role].cookies.output(header="", sep=";"))
        return client

    def _make(self, role: str) -> User:
        if role == "series organizer":
            return self.world.organizer
        user: User = make_user(role.replace(" ", "-"), is_staff=role == "staff", is_superuser=role == "staff")
        if role in ("owner", "organizer", "viewer"):
            set_role(HOME, user, role)
        elif role == "player":
            PlayerClaim.objects.create(community_id=HOME, player=self.world.report.opponent, user=user)
        elif role == "deactivated":
            set_role(HOME, user, "owner")
        elif role == "neighbour":
            make_contest(make_series("neighbours-cup", organizer=user), standings=[("ann", 1), ("bob", 2)])
        elif role == "stranger":
            make_community("elsewhere", owner=user)
            make_contest(make_series("strangers-cup", community="elsewhere"), standings=[("ann", 1), ("bob", 2)])
        return user

    def _enter(self, role: str) -> Client:
        client = Client(raise_request_exception=False)
        if role in self.users:
            client.force_login(self.users[role])
        return client

    def _program(self, creator: str) -> Client:
        community = "elsewhere" if creator == "stranger" else HOME
        text = create_token(community, name=creator, lifetime=timedelta(days=1), actor=self.users[creator])[1]
        return Client(raise_request_exception=False, headers={"Authorization": f"Bearer {text}"})
