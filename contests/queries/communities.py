"""Names, accents and sizes of communities, cached for a minute. Outsiders' pages depend only on listed ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from contests.caching import cached
from contests.models import Community, Visibility
from contests.queries.visibility import own_communities, players_with_results

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

SECONDS = 60
_LISTED = "communities:listed-accents"


class NamedCommunity(NamedTuple):
    """A community whose page can be linked."""

    slug: str
    name: str


def community_to_name(slug: str) -> NamedCommunity | None:
    """
    Return the community of a page that the visitor may read; None if it is the only one that the site lists.

    At most one query on a site with one community, and two on others.
    """
    if list(_first_listed()) == [slug]:
        return None
    found = _shown(slug)
    return NamedCommunity(slug, found.name) if found is not None else None


def accent_of(slug: str) -> str:
    """Return the accent colour of a community, such as "#1a7f37"; "" for none. It shares its queries with the name."""
    listed = _first_listed()
    if slug in listed:
        return listed[slug]
    found = _shown(slug)
    return found.accent if found is not None else ""


def is_unlisted(slug: str) -> bool:
    """Whether search engines should ignore the pages of this community. It shares its queries with the name."""
    if slug in _first_listed():
        return False
    found = _shown(slug)
    return found is not None and found.visibility == Visibility.UNLISTED


def names_if_several(slugs: set[str]) -> dict[str, str]:
    """Return the names of these communities by slug; nothing if the site lists no other."""
    listed = _first_listed()
    if not slugs or (len(listed) == 1 and slugs == set(listed)):
        return {}
    return dict(Community.objects.filter(pk__in=slugs).values_list("pk", "name"))


def are_several_listed() -> bool:
    """Whether the site lists more than one community; if not, no page shows its name."""
    return len(_first_listed()) > 1


def _first_listed() -> dict[str, str]:
    """Return two of the communities that the site lists, or the only one, with their accent colours."""
    return cached(
        _LISTED, lambda: dict(Community.objects.listed().order_by("pk").values_list("pk", "accent")[:2]), SECONDS
    )


class _Shown(NamedTuple):
    name: str
    accent: str
    visibility: str


def _shown(slug: str) -> _Shown | None:
    chosen = Community.objects.filter(pk=slug).values_list(*_Shown._fields)
    found = cached(_shown_key(slug), chosen.first, SECONDS)
    return _Shown(*found) if found is not None else None


def player_count(community: Community, user: User | AnonymousUser) -> int:
    """
    Return the number of players with results in a community that the visitor may see.

    It is cached, except for people who organize only some series there: each of them may see other players.
    """
    players = players_with_results(user).filter(community=community)
    if not user.is_authenticated:
        return cached(f"communities:players:{community.pk}", players.count, SECONDS)
    if not user.is_staff and community.pk not in own_communities(user):
        return players.count()
    return cached(f"communities:players-of-members:{community.pk}", players.count, SECONDS)


def outdated_keys(slug: str) -> list[str]:
    """Return the keys of the cached values that become outdated when this community changes."""
    return [_LISTED, _shown_key(slug)]


def _shown_key(slug: str) -> str:
    return f"communities:shown:{slug}"
