"""Names and sizes of communities, cached for a minute. What an outsider gets depends on listed communities only."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from contests.caching import cached
from contests.models import Community
from contests.queries.visibility import visible_players

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

SECONDS = 60
_LISTED = "communities:listed"


class NamedCommunity(NamedTuple):
    """A community whose page can be linked."""

    slug: str
    name: str


def community_to_name(slug: str) -> NamedCommunity | None:
    """
    Return the community of a page that the visitor may read; None if it is the only one that the site lists.

    At most one query on a site with one community, and two on others.
    """
    if _first_listed() == [slug]:
        return None
    name = cached(
        _name_key(slug), lambda: Community.objects.filter(pk=slug).values_list("name", flat=True).first(), SECONDS
    )
    return NamedCommunity(slug, name) if name is not None else None


def names_if_several(slugs: set[str]) -> dict[str, str]:
    """Return the names of these communities by slug; nothing if the site lists no other."""
    listed = _first_listed()
    if not slugs or (len(listed) == 1 and slugs == set(listed)):
        return {}
    return dict(Community.objects.filter(pk__in=slugs).values_list("pk", "name"))


def _first_listed() -> list[str]:
    """Return two of the communities that the site lists, or the only one."""
    return cached(
        _LISTED, lambda: list(Community.objects.listed().order_by("pk").values_list("pk", flat=True)[:2]), SECONDS
    )


def player_count(community: Community, user: User | AnonymousUser) -> int:
    """Return the number of players of a community that the visitor may see."""
    players = visible_players(user).filter(community=community)
    if user.is_authenticated:
        return players.count()
    return cached(f"communities:players:{community.pk}", players.count, SECONDS)


def forgettable_keys(slug: str) -> list[str]:
    """Return the keys of the cached values that a change of this community makes wrong."""
    return [_LISTED, _name_key(slug)]


def _name_key(slug: str) -> str:
    return f"communities:name:{slug}"
