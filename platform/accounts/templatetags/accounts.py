"""Facts about the site for pages of accounts: whether it sends mail, who may sign up, which other sites it trusts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from allauth.account.utils import get_next_redirect_url
from allauth.socialaccount.adapter import get_adapter
from django import template
from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import sign_up

if TYPE_CHECKING:
    from allauth.socialaccount.providers.base import Provider
    from django.template.context import RequestContext

register = template.Library()

#: Parts of the header User-Agent and their names; the first that occurs counts, because most name their ancestors too.
_BROWSERS = [
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox|FxiOS", "Firefox"),
    ("Chrom|CriOS", "Chrome"),
    ("Safari", "Safari"),
]
_SYSTEMS = [
    ("Android", "Android"),
    ("iPhone|iPad", "iOS"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
]


@register.simple_tag(takes_context=True)
def where_from(context: RequestContext) -> str:
    """Return the page that asked for a confirmation, or that of the account; never an address of another site."""
    return get_next_redirect_url(context["request"]) or reverse("account")


@register.simple_tag
def sends_mail() -> bool:
    """Return whether this site sends email."""
    return bool(settings.PODIUM_SENDS_MAIL)


@register.simple_tag(takes_context=True)
def sign_up_is_open(context: RequestContext) -> bool:
    """Return whether this visitor may create an account."""
    return sign_up.is_open_to(context["request"])


@register.simple_tag(takes_context=True)
def sign_in_providers(context: RequestContext) -> list[Provider]:
    """Return the other sites with which people can log in here."""
    providers: list[Provider] = get_adapter().list_providers(context["request"])
    return providers


@register.filter
def browser(user_agent: Any) -> str:
    """Return browser and system in words, from the header User-Agent; its beginning if they are not known."""
    text = str(user_agent)
    names = [next((name for pattern, name in kinds if re.search(pattern, text)), "") for kinds in (_BROWSERS, _SYSTEMS)]
    if all(names):
        return _("%(browser)s on %(system)s") % {"browser": names[0], "system": names[1]}
    return names[0] or names[1] or text[:40] or _("Unknown browser")
