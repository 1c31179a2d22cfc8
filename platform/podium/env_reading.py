"""Typed reading of the environment: a wrong value is one sentence that names the variable and shows a right one."""

from __future__ import annotations

import re
import warnings
from typing import Any, NoReturn
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from kombu.transport import TRANSPORT_ALIASES
from redis.connection import parse_url as parse_redis_url

_SWITCH = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
_DATABASE_EXAMPLE = "postgres://podium:password@127.0.0.1:5432/podium"
_REDIS_EXAMPLE = "redis://:password@127.0.0.1:6379/0"
_ENGINES = {"django.db.backends.postgresql", "django.db.backends.sqlite3"}
_RATE = re.compile(r"[1-9]\d*/(s|sec|second|m|min|minute|h|hour|d|day)")
_ORIGIN = re.compile(r"https?://(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
_HOST = re.compile(r"\*|\.?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?|\[[0-9A-Fa-f:.]+\]")


class Environment(environ.Env):
    """
    The environment of this process: what a variable cannot mean is refused, and an empty value is none.

    `str`, `int`, `bool` and `list` are those of django-environ; numbers are whole and not negative.
    """

    def get_value(self, var: str, cast: Any = None, default: Any = None, parse_default: bool = False) -> Any:
        """Return a variable, cast; a dollar sign at its start is not a reference to another variable."""
        value = self.ENVIRON.get(var, "").strip()
        if not value:
            return default
        if cast is bool:
            if value.lower() not in _SWITCH:
                refuse(var, value, "is neither on nor off", "1, or 0")
            return _SWITCH[value.lower()]
        if cast is int:
            if not re.fullmatch(r"\d{1,9}", value):
                refuse(var, value, "is not a whole number from 0 on", str(default or 1))
            return int(value)
        return value if cast in (None, str) else self.parse_value(value, cast)

    def positive(self, var: str, default: int) -> int:
        """Return a whole number from 1 on."""
        value = int(self.int(var, default=default))
        if value < 1:
            refuse(var, str(value), "is not a whole number from 1 on", str(default))
        return value

    def one_of(self, var: str, default: str, choices: tuple[str, ...]) -> str:
        """Return one of a few words, in capitals."""
        value = str(self.str(var, default=default)).upper()
        if value not in choices:
            refuse(var, value, f"is none of {', '.join(choices)}", default)
        return value

    def hosts(self, var: str, default: list[str]) -> list[str]:
        """Return names of hosts, separated by commas: neither a scheme nor a port belongs to them."""
        names = [name.strip() for name in self.list(var, default=default) if name.strip()]
        for name in names:
            if not _HOST.fullmatch(name):
                why = "is not the name of a host (without https://, port and path)"
                refuse(var, name, why, "ratings.example.org")
        return names

    def email(self, var: str, default: str) -> dict[str, Any]:
        """Return the settings of the server that takes e-mails; none if there is no such server."""
        url = str(self.str(var, default=default))
        scheme = url.partition("://")[0]
        if url and scheme not in environ.Env.EMAIL_SCHEMES:
            example = "smtp+tls://podium:password@mail.example.org:587"
            refuse(var, _hidden(url), f"begins with none of {', '.join(sorted(environ.Env.EMAIL_SCHEMES))}", example)
        return dict(environ.Env.email_url_config(url)) if url else {}

    def origins(self, var: str) -> list[str]:
        """Return origins, separated by commas: each has a scheme and a host."""
        origins = [origin.strip() for origin in self.list(var, default=[]) if origin.strip()]
        for origin in origins:
            if not re.fullmatch(r"https?://[^/\s]+", origin):
                refuse(var, origin, "is not an origin", "https://ratings.example.org")
        return origins

    def origin(self, var: str) -> str:
        """Return scheme, host and perhaps port, in small letters; an empty text if there is none."""
        value = str(self.str(var, default=""))
        origin = value.removesuffix("/").lower()
        try:
            is_origin = bool(_ORIGIN.fullmatch(origin)) and urlsplit(origin).port != 0
        except ValueError:
            is_origin = False
        if value and not is_origin:
            refuse(var, value, "is not an origin (scheme, host and perhaps port)", "https://ratings.example.org")
        return origin

    def rate(self, var: str, default: str) -> str:
        """Return how many requests are allowed in which time."""
        value = str(self.str(var, default=default))
        if not _RATE.fullmatch(value):
            refuse(var, value, "is not a number of requests in a time", default)
        return value

    def database(self, var: str) -> dict[str, Any]:
        """Return Django's settings of a database, PostgreSQL or SQLite."""
        value = str(self.str(var, default=""))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                config: dict[str, Any] = self.db_url_config(value)
        except ValueError as error:
            refuse(var, _hidden(value), f"cannot be read ({error})", _DATABASE_EXAMPLE)
        if config.get("ENGINE") not in _ENGINES or not config.get("NAME"):
            refuse(var, _hidden(value), "names no database of PostgreSQL", _DATABASE_EXAMPLE)
        return config

    def redis(self, var: str) -> str:
        """Return the address of a Redis, or an empty text."""
        value = str(self.str(var, default=""))
        try:
            if value:
                parse_redis_url(value)
        except ValueError as error:
            refuse(var, _hidden(value), f"cannot be read ({error})", _REDIS_EXAMPLE)
        return value

    def broker(self, var: str, default: str) -> str:
        """Return the address of a broker that Celery knows."""
        value = str(self.str(var, default=default))
        scheme, separator, _ = value.partition("://")
        if not separator or scheme.partition("+")[0] not in TRANSPORT_ALIASES:
            refuse(var, _hidden(value), "names no broker that Celery knows", _REDIS_EXAMPLE)
        return value


def refuse(var: str, value: str, why: str, example: str) -> NoReturn:
    """End the start of this process with one sentence about a variable."""
    raise ImproperlyConfigured(f"{var}={value!r} {why}. Example: {var}={example}")


def _hidden(address: str) -> str:
    """Return an address without its password: what is refused ends in logs."""
    return re.sub(r"(://[^:/@]*:).*@", r"\1…@", address)
