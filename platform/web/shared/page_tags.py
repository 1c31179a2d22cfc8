"""Template tags for the parts that pages share: breadcrumbs, pagination, style sheets, scripts and languages."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from django import template
from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import Exists
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from contests.models import Community, Visibility
from contests.queries.communities import accent_of, community_to_name, is_unlisted
from web.shared.bundles import files_of

if TYPE_CHECKING:
    from django.core.paginator import Page
    from django.utils.safestring import SafeString

    from contests.models import Player, Series
    from ratings.queries.snapshot import SeriesSnapshot
    from web.shared.contest_pages import ContestPage

register = template.Library()

STATIC = settings.BASE_DIR / "static"


def import_map_text() -> str:
    """Return the import map of all scripts: the same text on every page."""
    paths = sorted(path for path in STATIC.rglob("*.js") if "vendor" not in path.parts)
    addresses = {path.stem: static(path.relative_to(STATIC).as_posix()) for path in paths}
    return json.dumps({"imports": addresses}, separators=(",", ":"))


@lru_cache(maxsize=1)
def _kept() -> str:
    return import_map_text()


def import_map_source() -> str:
    """Return the import map's hash for the content security policy; unlike a nonce, it is the same every time."""
    text = import_map_text() if settings.DEBUG else _kept()
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@register.simple_tag
def import_map() -> SafeString:
    """Write the import map, with which scripts import each other by name."""
    text = import_map_text() if settings.DEBUG else _kept()
    # Only names of our own files; escaping would change the hash.
    return mark_safe(f'<script type="importmap">{text}</script>')


@register.simple_tag(takes_context=True)
def language_links(context: template.Context) -> list[dict[str, Any]]:
    """Return the languages of the site, each with the address that selects it and returns to this page."""
    request = context.get("request")
    here = request.get_full_path() if request is not None else "/"
    if here.startswith(settings.PODIUM_ENGLISH_ONLY):
        return []
    current = get_language()
    return [
        {
            "code": code,
            "name": name,
            "address": format_html("{}?next={}", reverse("language", args=[code]), quoted(here)),
            "is_current": code == current,
        }
        for code, name in settings.LANGUAGES
    ]


@register.simple_tag
def bundle(name: str) -> SafeString:
    """Link a bundle of style sheets or scripts."""
    link = '<script src="{}"></script>' if name.endswith(".js") else '<link rel="stylesheet" href="{}">'
    return format_html_join("\n", link, ((static(file),) for file in files_of(name)))


def quoted(path: str) -> str:
    """Return a path as the value of a query parameter."""
    return quote(path[:2000], safe="/")


@register.simple_tag
def tier_styles(snapshots: SeriesSnapshot | list[SeriesSnapshot]) -> SafeString | str:
    """Link the style sheet with the tier colours of one or more series."""
    listed = snapshots if isinstance(snapshots, list) else [snapshots]
    schemes = {one.scheme.pk: one.scheme for one in listed if one.scheme is not None}
    if not schemes:
        return ""
    address = reverse("tier-styles", args=[",".join(map(str, sorted(schemes)))])
    # Browsers cache it forever, and after restoring a backup the ids may belong to other schemes.
    tiers = repr([(schemes[pk].uid, schemes[pk].tiers) for pk in sorted(schemes)])
    return format_html('<link rel="stylesheet" href="{}?{}">', address, hashlib.sha256(tiers.encode()).hexdigest()[:12])


@register.inclusion_tag("shared/_as_of.html")
def as_of(snapshot: SeriesSnapshot, *, waiting: bool = False) -> dict[str, Any]:
    """Write when the ratings on a page were updated, and whether new results are being rated."""
    return {"run": snapshot.run, "waiting": waiting}


@register.inclusion_tag("shared/_pagination.html", takes_context=True)
def pagination(context: template.Context, page: Page[Any], what: str, is_said: bool = False) -> dict[str, Any]:
    """
    Write links to the other pages of the things called `what`; they keep the rest of the query.

    is_said
        Whether the message about a page that does not exist is elsewhere, such as above a long table.
    """
    query = context["request"].GET.copy()
    query.pop("page", None)
    numbers = page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1)
    return {
        "page": page,
        "numbers": list(numbers),
        "gap": page.paginator.ELLIPSIS,
        "query": query.urlencode(),
        "what": what,
        "is_said": is_said,
    }


@register.inclusion_tag("shared/_contest_pagination.html", takes_context=True)
def contest_pagination(context: template.Context, page: ContestPage, what: str) -> dict[str, Any]:
    """Write links to the other pages of a list of contests, by cursor where possible, that keep the query."""
    query = context["request"].GET.copy()
    for name in ("page", "after", "before"):
        query.pop(name, None)
    kept = query.urlencode()

    def link(place: str) -> str:
        return "?" + "&".join(part for part in (kept, place) if part)

    before, after = link(f"before={page.before}"), link(f"after={page.after}")
    near: dict[str | int, str] = {1: link(""), page.number_of_pages: link("page=last")}
    if page.number is not None:
        near = {page.number - 1: before, page.number + 1: after, **near}
    pages = Paginator(range(page.count), page.size)
    numbers = pages.get_elided_page_range(page.number, on_each_side=1, on_ends=1) if page.number else ()
    listed = [(number, near.get(number, link(f"page={number}"))) for number in numbers]
    return {
        "page": page,
        "before": before if page.before else "",
        "after": after if page.after else "",
        "first": link(""),
        "last": link("page=last"),
        "listed": listed,
        "gap": Paginator.ELLIPSIS,
        "what": what,
    }


@register.simple_tag(takes_context=True)
def accent_styles(context: template.Context) -> SafeString | str:
    """Link the style sheet with the accent colour of the page's community; organizers' pages keep the site's accent."""
    if _is_organized(context):
        return ""
    community, slug = context.get("community"), _community_slug(context)
    accent = community.accent if isinstance(community, Community) else accent_of(slug) if slug else ""
    if not accent:
        return ""
    return format_html('<link rel="stylesheet" href="{}">', reverse("accent-styles", args=[accent[1:]]))


@register.simple_tag(takes_context=True)
def robots_meta(context: template.Context) -> SafeString | str:
    """Keep search engines from listing any page of an unlisted community; they cannot read organizers' pages."""
    if _is_organized(context):
        return ""
    community, slug = context.get("community"), _community_slug(context)
    if isinstance(community, Community):
        unlisted = community.visibility == Visibility.UNLISTED
    else:
        unlisted = slug is not None and is_unlisted(slug)
    return mark_safe('<meta name="robots" content="noindex">') if unlisted else ""


def _is_organized(context: template.Context) -> bool:
    place = getattr(context.get("request"), "resolver_match", None)
    return place is not None and place.namespace == "organize"


def _community_slug(context: template.Context) -> str | None:
    subject = context.get("player") or context.get("series") or getattr(context.get("snapshot"), "series", None)
    return getattr(subject, "community_id", None)


class OwnCommunity(NamedTuple):
    """The community of an organizers' page, and the address of its page."""

    name: str
    address: str


@register.simple_tag(takes_context=True)
def organized_community(context: template.Context, part: Series | Player | None = None) -> OwnCommunity | None:
    """
    Return the community of an organizers' page, or None; takes one query unless the context has the community.

    People who organize only some of its series get the address of its public page.

    part
        A series or player of the community, for pages whose context has none; None or "" otherwise.
    """
    community = context.get("community")
    if isinstance(community, Community):
        return OwnCommunity(community.name, reverse("organize:community", args=[community.pk]))
    slug = part.community_id if part else _community_slug(context)
    if slug is None:
        return None
    own = Community.objects.organized_by(context["request"].user).filter(pk=slug)
    name, is_own = Community.objects.annotate(is_own=Exists(own)).values_list("name", "is_own").get(pk=slug)
    return OwnCommunity(name, reverse("organize:community" if is_own else "community", args=[slug]))


def _community_crumbs(context: template.Context) -> list[tuple[str, str]]:
    """Return the name and address of the community of the page's player or series, if it must be named."""
    slug = _community_slug(context)
    community = community_to_name(slug) if slug else None
    return [(community.name, reverse("community", args=[community.slug]))] if community is not None else []


@register.simple_tag(takes_context=True)
def breadcrumbs(context: template.Context, *parts: str) -> SafeString:
    """
    Write breadcrumbs from alternating texts and addresses; a last text without an address is the page itself.

    Pages of a series or player begin with their community, unless the site lists only this one.
    """
    pairs = [*_community_crumbs(context), *zip(parts[::2], parts[1::2], strict=False)]
    links = format_html_join(
        "", '<li><a href="{}"><bdi>{}</bdi></a></li>', [(address, text) for text, address in pairs]
    )
    last = format_html('<li aria-current="page"><bdi>{}</bdi></li>', parts[-1]) if len(parts) % 2 else ""
    return format_html('<nav class="breadcrumbs" aria-label="{}"><ol>{}{}</ol></nav>', _("Breadcrumbs"), links, last)
