"""
Audit entries about accounts: sign-ins, failures, passwords, second factors, rights and deletions.

Receivers of signals write them, so that every way of changing an account is recorded: pages, the admin and commands.
Failures are counted, and a flood of them adds only a few entries.
"""

from __future__ import annotations

import hashlib
import logging
from contextvars import ContextVar
from importlib import import_module
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.core.cache import cache
from django.db import transaction
from django.db.models import Q
from django.db.models.signals import m2m_changed, post_save, pre_delete, pre_save

from accounts.client_address import client_network
from contests.services.audit import record

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.contrib.auth.models import User
    from django.http import HttpRequest, HttpResponse

logger = logging.getLogger(__name__)

#: The flags of an account that give it rights.
FLAGS = ("is_active", "is_staff", "is_superuser")
_DEFAULTS = {"is_active": True, "is_staff": False, "is_superuser": False}
#: How many failures from one network, and on the whole site, can each get an entry of their own within an hour.
MOST_OF_NETWORK, MOST_OF_SITE = 20, 500
HOUR = 3600

_request: ContextVar[HttpRequest | None] = ContextVar("audited_request", default=None)


class AuditedRequest:
    """Middleware that lets the receivers know who makes a change, and from which network."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = _request.set(request)
        try:
            return self.get_response(request)
        finally:
            _request.reset(token)


def connect() -> None:
    """Connect the receivers; those of django-allauth's signals only where its apps are installed."""
    users = get_user_model()
    for signal, receiver in (
        (user_logged_in, _signed_in), (user_logged_out, _signed_out), (user_login_failed, _sign_in_failed),
    ):  # fmt: skip
        signal.connect(receiver, dispatch_uid="audit")
    pre_save.connect(_remember_flags, sender=users, dispatch_uid="audit")
    post_save.connect(_saved, sender=users, dispatch_uid="audit")
    pre_delete.connect(_deleted, sender=users, dispatch_uid="audit")
    for through in (users.groups.through, users.user_permissions.through, Group.permissions.through):
        m2m_changed.connect(_permissions_changed, sender=through, dispatch_uid="audit")
    if apps.is_installed("allauth.account"):
        import_module("allauth.account.signals").email_changed.connect(_email_changed, dispatch_uid="audit")
    if apps.is_installed("allauth.mfa"):
        signals = import_module("allauth.mfa.signals")
        for name, words in (("added", "add"), ("removed", "remove"), ("reset", "reset")):
            signal = getattr(signals, f"authenticator_{name}")
            signal.connect(_second_factor(words), weak=False, dispatch_uid="audit")
        signals.authentication_failed.connect(_second_factor_failed, dispatch_uid="audit")


def record_failure(request: HttpRequest | None, account: User | None, key: str, *, action: str) -> None:
    """
    Count a failed attempt in this hour, and write an entry for the 1st, 10th, 100th, … of an account and network.

    Beyond 20 failures from a network, or 500 on the site, only each power of ten of those gets an entry.

    account
        The account that the attempt was for; None if there is no such account. Its name is not recorded then: people
        sometimes type their password there.
    """
    network = client_network(request) if request is not None else "unknown"
    of_pair, of_network, of_site = (_counted(f"{key} {network}"), _counted(network), _counted("site"))
    if of_pair is None or of_network is None or of_site is None:
        logger.warning("a failed attempt from %s is not in the audit log: the cache cannot be reached", network)
        return
    for count, most, scope in (
        (of_site, MOST_OF_SITE, "of this site"),
        (of_network, MOST_OF_NETWORK, "of this network"),
    ):
        if count > most:
            if _is_power_of_ten(count):
                record(action, subject=f"accounts: {count:,} failures {scope} within an hour", actor=None,
                       after={"failures": count}, network="" if scope == "of this site" else network)  # fmt: skip
            return
    if _is_power_of_ten(of_pair):
        subject = _named(account) if account is not None else "an unknown account"
        record(action, subject=subject, actor=None, after={"failures": of_pair}, network=network)


def _counted(what: str) -> int | None:
    """Count one more within this hour; None if the cache cannot be reached."""
    key = f"audit-failures:{hashlib.sha256(what.encode(errors='surrogatepass')).hexdigest()}"
    if cache.add(key, 1, HOUR):
        return 1 if cache.get(key) is not None else None
    try:
        return cache.incr(key)
    except ValueError:  # it has just expired
        return 1


def _is_power_of_ten(count: int) -> bool:
    return str(count).rstrip("0") == "1"


def _record(action: str, account: User, *, actor: User | None, **values: Any) -> None:
    request = _request.get()
    network = client_network(request) if request is not None else ""
    record(action, subject=_named(account), actor=actor, network=network, **values)


def _actor(account: User | None = None) -> User | None:
    """Return who makes the present request; the given account if no one is signed in, and None in a command."""
    request = _request.get()
    if request is None:
        return None
    user = getattr(request, "user", None)
    return user if user is not None and user.is_authenticated else account


def _named(account: User) -> str:
    return f"account {account.get_username()}"


def _signed_in(sender: object, request: HttpRequest, user: User, **_others: Any) -> None:
    with transaction.atomic():
        record("account.sign_in", subject=_named(user), actor=user, network=client_network(request))


def _signed_out(sender: object, request: HttpRequest, user: User | None, **_others: Any) -> None:
    if user is not None:
        with transaction.atomic():
            record("account.sign_out", subject=_named(user), actor=user, network=client_network(request))


def _sign_in_failed(
    sender: object, credentials: dict[str, Any], request: HttpRequest | None = None, **_others: Any
) -> None:
    names = [str(credentials[name]) for name in ("username", "email", "login") if credentials.get(name)]
    name = (names[0] if names else "").replace("\0", "")[:254]
    account = get_user_model().objects.filter(Q(username=name) | Q(email__iexact=name)).first() if name else None
    key = f"account {account.pk}" if account is not None else f"name {name.casefold()}"
    record_failure(request, account, key, action="account.sign_in_failed")


def _second_factor_failed(sender: object, request: HttpRequest, user: User, **_others: Any) -> None:
    record_failure(request, user, f"second factor {user.pk}", action="account.second_factor_failed")


def _second_factor(change: str) -> Callable[..., None]:
    def changed(sender: object, user: User, authenticator: Any, **_others: Any) -> None:
        after = {"kind": str(authenticator.type)}
        _record(f"account.second_factor_{change}", user, actor=_actor(user), after=after)

    return changed


def _email_changed(sender: object, user: User, **_others: Any) -> None:
    """The addresses themselves are personal data, and entries can't be deleted."""
    _record("account.email", user, actor=_actor(user))


def _remember_flags(sender: object, instance: User, raw: bool, update_fields: Any, **_others: Any) -> None:
    before = dict(_DEFAULTS)
    if raw or (update_fields is not None and not set(FLAGS) & set(update_fields)):
        before = {name: getattr(instance, name) for name in FLAGS}
    elif instance.pk is not None:
        before = get_user_model().objects.filter(pk=instance.pk).values(*FLAGS).first() or before
    instance._audited_flags = before  # type: ignore[attr-defined]


def _saved(sender: object, instance: User, raw: bool, created: bool, **_others: Any) -> None:
    before: dict[str, bool] = getattr(instance, "_audited_flags", {})
    changed = [name for name in before if before[name] != getattr(instance, name)]
    if changed:
        _record(
            "account.rights", instance, actor=_actor(),
            before={name: before[name] for name in changed},
            after={name: getattr(instance, name) for name in changed},
        )  # fmt: skip
    # Set by set_password() until save() ends. A new hash of the same password leaves it empty.
    if not raw and not created and instance._password is not None:  # type: ignore[attr-defined]
        _record("account.password", instance, actor=_actor(instance))


def _deleted(sender: object, instance: User, **_others: Any) -> None:
    action = "account.unverified" if getattr(instance, "_is_unverified", False) else "account.delete"
    _record(action, instance, actor=_actor())


def _permissions_changed(
    sender: Any, instance: Any, action: str, reverse: bool, model: Any, pk_set: set[int] | None, **_others: Any
) -> None:
    if action not in ("post_add", "post_remove", "pre_clear"):
        return
    field = "groups" if sender is get_user_model().groups.through else "permissions"
    if pk_set is None:
        rows = sender.objects.filter(**{instance._meta.model_name: instance})
        pk_set = set(rows.values_list(model._meta.model_name, flat=True))
    names = sorted(map(str, model.objects.filter(pk__in=pk_set)))
    if names:
        kind = "account" if isinstance(instance, get_user_model()) else instance._meta.model_name
        side = "after" if action == "post_add" else "before"
        values: dict[str, Any] = {side: {"members" if reverse else field: names}}
        request = _request.get()
        record(
            "account.permissions", subject=f"{kind} {instance}", actor=_actor(),
            network=client_network(request) if request is not None else "", **values,
        )  # fmt: skip
