"""The answers of the site to every role, compared with the table of addresses and the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.urls import reverse

from contests.changes.base import token_of
from tests.attacks.addresses import CASES, path_of, proposals
from tests.attacks.people import Site
from tests.attacks.rules import has_least_rights, may_name_series, refusal
from tests.web.organize.everything import MARK, undone

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.test import Client

#: Kinds of pages that are the same whatever the community.
ELSEWHERE = ("everyone", "accounts", "staff", "hidden")
LISTS = ("lists", "open lists", "own lists")
#: Lists that name communities or players, not the series.
WITHOUT_SERIES = ("communities", "players", "api:communities", "api:players")


class Matrix:
    """
    A world and the visibility that it has now.

    rows
        Names of the addresses that depend on the community.
    operations
        Names of those that programs request: REST operations.
    wrong
        What differs from the table, in words.
    """

    def __init__(self, state: str) -> None:
        self.site, self.state = Site(state), state
        self.rows = [name for name, case in CASES.items() if case.who not in ELSEWHERE]
        self.operations = [name for name in self.rows if name.startswith("api:")]
        self.wrong: list[str] = []

    def path(self, name: str) -> str:
        return path_of(name, self.site.world)

    def read(self, role: str, *, client: Client | None = None, names: Iterable[str] = (), after: str = "") -> None:
        """
        Request pages without emptying the caches: by default, all rows with the client of that role.

        after
            The preceding change, for the messages about what is wrong.
        """
        for name in names or self.rows:
            answer = (client or self.site.clients[role]).get(self.path(name))
            self.compare(name, role, "get", answer, after)
            lists = CASES[name].who in LISTS and name not in WITHOUT_SERIES
            is_shown = lists and may_name_series(CASES[name].who, role, self.state) and answer.status_code == 200
            if is_shown and role != "anonymous" and not named(answer):
                self.wrong.append(f"get {name} as {role}{after} does not list the series")

    def send(self, role: str, names: Iterable[str] = (), *, let_in: str = "all") -> None:
        """
        Send every form that does something; undo what those who are let in have changed.

        let_in
            Which forms that let the role in are sent: "all", "none", or those that no role with fewer rights may send
            ("least").
        """
        for name in names or self.rows:
            case, path = CASES[name], self.path(name)
            if refusal(case.who, role, self.state) is not None:
                self.compare(name, role, "post", self.site.clients[role].post(path, case.form(self.site.world)))
            elif let_in == "all" or (let_in == "least" and has_least_rights(case.who, role, self.state)):
                with undone():
                    self.compare(name, role, "post", self.site.browser(role).post(path, case.form(self.site.world)))
                self.site.restore_file()

    def propose(self, role: str) -> None:
        """Open and confirm every kind of change as someone without rights, who could keep or receive its address."""
        if refusal("organizers", role, self.state) is None:
            return
        for change in proposals(self.site.world):
            for name in ("organize:change", "organize:change-progress"):
                path = reverse(name, query={"change": token_of(change)})
                for method in ("get", "post"):
                    self.compare(name, role, method, getattr(self.site.clients[role], method)(path))

    def compare(self, name: str, role: str, method: str, answer: Any, after: str = "") -> None:
        """Note an unexpected status, a redirect to a wrong place, and names that have to stay hidden."""
        case, said = CASES[name], f"{method} {name} as {role}, {self.state}{after}"
        expected = case.expected(role, method, self.state)
        if answer.status_code != expected:
            self.wrong.append(f"{said}: {answer.status_code} in place of {expected}")
        elif expected == 302 == refusal(case.who, role, self.state) and role not in case.apart:
            login = reverse("admin:login" if case.who == "staff" else "login")
            if not answer["Location"].startswith(f"{login}?next="):
                self.wrong.append(f"{said} leads to {answer['Location']}")
        if not may_name_series(case.who, role, self.state) and named(answer):
            self.wrong.append(f"{said} names what is hidden")

    def check(self) -> None:
        """Fail with everything that is wrong."""
        assert not self.wrong, f"{len(self.wrong)} wrong:\n" + "\n".join(self.wrong)


def named(answer: Any) -> bool:
    """Return whether an answer names the series or a contest of it, lists its address in a map, or has its colours."""
    content, path = (answer.getvalue() if answer.streaming else answer.content), answer.request["PATH_INFO"]
    elsewhere = {"/sitemap": b"harbour", "/tiers/": b".tier-"}
    return MARK.encode() in content or any(
        path.startswith(start) and word in content for start, word in elsewhere.items()
    )
