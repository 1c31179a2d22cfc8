"""
All settings that Podium reads from the environment, in one place and typed.

An invalid value stops the process at the start, with one sentence that names the variable and shows a valid value.
docs/operations.md documents each variable.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import secrets
import warnings
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from kombu.transport import TRANSPORT_ALIASES
from redis.connection import parse_url as parse_redis_url

from podium.folders import make_private, make_private_file, make_var

_SWITCH = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
_DATABASE_EXAMPLE = "postgres://podium:password@127.0.0.1:5432/podium"
_REDIS_EXAMPLE = "redis://:password@127.0.0.1:6379/0"
_ENGINES = {"django.db.backends.postgresql", "django.db.backends.sqlite3"}
_RATE = re.compile(r"[1-9]\d*/(s|sec|second|m|min|minute|h|hour|d|day)")
_ORIGIN = re.compile(r"https?://(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
#: RFC 9116, section 2.5.3: a web address begins with https://.
_CONTACT = re.compile(r"(?:mailto:)?[^@\s:/]+@[^@\s:/]+|https://[^\s/]+(?:/\S*)?|tel:\+?[0-9-]+")
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_HOST = re.compile(r"\*|\.?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?|\[[0-9A-Fa-f:.]+\]")


class Environment(environ.Env):
    """
    The environment of this process. It refuses invalid values, and treats an empty value as unset.

    `str`, `int`, `bool` and `list` are those of django-environ. Numbers are whole and not negative.
    """

    def get_value(self, var: str, cast: Any = None, default: Any = None, parse_default: bool = False) -> Any:
        """Return a variable, cast. A dollar sign at its start is not a reference to another variable."""
        value = self.ENVIRON.get(var, "").strip()
        if not value:
            return default
        if cast is bool:
            if value.lower() not in _SWITCH:
                refuse(var, value, "is neither on nor off", "1, or 0")
            return _SWITCH[value.lower()]
        if cast is int:
            if not re.fullmatch(r"\d{1,9}", value):
                refuse(var, value, "is not a whole number, 0 or more", str(default or 1))
            return int(value)
        return value if cast in (None, str) else self.parse_value(value, cast)

    def positive(self, var: str, default: int) -> int:
        """Return a whole number, 1 or more."""
        value = int(self.int(var, default=default))
        if value < 1:
            refuse(var, str(value), "is not a whole number, 1 or more", str(default))
        return value

    def one_of(self, var: str, default: str, choices: tuple[str, ...]) -> str:
        """Return one of the choices, in upper case."""
        value = str(self.str(var, default=default)).upper()
        if value not in choices:
            refuse(var, value, f"is none of {', '.join(choices)}", default)
        return value

    def slug(self, var: str, default: str) -> str:
        """Return a slug: lower-case letters, digits and single hyphens, at most 40."""
        value = str(self.str(var, default=default))
        if not _SLUG.fullmatch(value) or len(value) > 40:
            refuse(var, value, "is not a slug: at most 40 lower-case letters, digits and hyphens", "harbour-club")
        return value

    def hosts(self, var: str, default: list[str]) -> list[str]:
        """Return the host names in a comma-separated list; they have neither a scheme nor a port."""
        names = [name.strip() for name in self.list(var, default=default) if name.strip()]
        for name in names:
            if not _HOST.fullmatch(name):
                why = "is not a host name (without https://, port and path)"
                refuse(var, name, why, "ratings.example.org")
        return names

    def email(self, var: str, default: str) -> dict[str, Any]:
        """Return Django's settings of the mail server; {} if there is none."""
        url = str(self.str(var, default=default))
        scheme = url.partition("://")[0]
        if url and scheme not in environ.Env.EMAIL_SCHEMES:
            example = "smtp+tls://podium:password@mail.example.org:587"
            refuse(
                var, _hidden(url), f"does not start with any of {', '.join(sorted(environ.Env.EMAIL_SCHEMES))}", example
            )
        return dict(environ.Env.email_url_config(url)) if url else {}

    def origins(self, var: str) -> list[str]:
        """Return the origins in a comma-separated list; each has a scheme and a host."""
        origins = [origin.strip() for origin in self.list(var, default=[]) if origin.strip()]
        for origin in origins:
            if not re.fullmatch(r"https?://[^/\s]+", origin):
                refuse(var, origin, "is not an origin", "https://ratings.example.org")
        return origins

    def origin(self, var: str) -> str:
        """Return scheme, host and optional port in lower case; an empty string if there is none."""
        value = str(self.str(var, default=""))
        origin = value.removesuffix("/").lower()
        try:
            is_origin = bool(_ORIGIN.fullmatch(origin)) and urlsplit(origin).port != 0
        except ValueError:
            is_origin = False
        if value and not is_origin:
            refuse(var, value, "is not an origin (scheme, host and optional port)", "https://ratings.example.org")
        return origin

    def contacts(self, var: str) -> list[str]:
        """Return the contacts in a comma-separated list as URIs; an email address becomes a `mailto:` URI."""
        contacts = [contact.strip() for contact in self.list(var, default=[]) if contact.strip()]
        for contact in contacts:
            if not _CONTACT.fullmatch(contact):
                why = "is neither an email address nor a URI that starts with https://, mailto: or tel:"
                refuse(var, contact, why, "security@example.org,https://example.org/security")
        return [contact if ":" in contact else f"mailto:{contact}" for contact in contacts]

    def rate(self, var: str, default: str) -> str:
        """Return the allowed number of requests in a period, such as 600/min."""
        value = str(self.str(var, default=default))
        if not _RATE.fullmatch(value):
            refuse(var, value, "is not a number of requests per period", default)
        return value

    def database(self, var: str) -> dict[str, Any]:
        """Return Django's settings of a PostgreSQL or SQLite database."""
        value = str(self.str(var, default=""))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                config: dict[str, Any] = self.db_url_config(value)
        except ValueError as error:
            refuse(var, _hidden(value), f"cannot be read ({error})", _DATABASE_EXAMPLE)
        if config.get("ENGINE") not in _ENGINES or not config.get("NAME"):
            refuse(var, _hidden(value), "does not name a PostgreSQL database", _DATABASE_EXAMPLE)
        return config

    def redis(self, var: str) -> str:
        """Return the URL of a Redis server, or an empty string."""
        value = str(self.str(var, default=""))
        try:
            if value:
                parse_redis_url(value)
        except ValueError as error:
            refuse(var, _hidden(value), f"cannot be read ({error})", _REDIS_EXAMPLE)
        return value

    def broker(self, var: str, default: str) -> str:
        """Return the URL of a broker that Celery supports."""
        value = str(self.str(var, default=default))
        scheme, separator, _ = value.partition("://")
        if not separator or scheme.partition("+")[0] not in TRANSPORT_ALIASES:
            refuse(var, _hidden(value), "does not name a broker that Celery supports", _REDIS_EXAMPLE)
        return value


def refuse(var: str, value: str, why: str, example: str) -> NoReturn:
    """Stop the start of this process with one sentence about a variable."""
    raise ImproperlyConfigured(f"{var}={value!r} {why}. Example: {var}={example}")


def _hidden(address: str) -> str:
    """Return a URL without its password, because refused values end up in logs."""
    return re.sub(r"(://[^:/@]*:).*@", r"\1…@", address)


ROOT = Path(__file__).resolve().parents[2]

#: Paths that are in English only: the REST API, and pages that have not been translated.
ENGLISH_ONLY = ("/api/", "/admin/")

env = Environment()

VAR = Path(env.str("PODIUM_VAR", default=str(ROOT / "var")))
DATABASE_URL: str = env.str("DATABASE_URL", default="")
REDIS_URL = env.redis("REDIS_URL")

# Without DATABASE_URL, this is a local site: everything is below var/, and served over plain HTTP.
LOCAL = not DATABASE_URL

DEBUG: bool = env.bool("PODIUM_DEBUG", default=False)
HTTPS: bool = env.bool("PODIUM_HTTPS", default=not LOCAL)
HSTS_SUBDOMAINS: bool = env.bool("PODIUM_HSTS_SUBDOMAINS", default=False)
HSTS_PRELOAD: bool = env.bool("PODIUM_HSTS_PRELOAD", default=False)
ALLOWED_HOSTS = env.hosts("PODIUM_ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.origins("PODIUM_CSRF_TRUSTED_ORIGINS")
ORIGIN = env.origin("PODIUM_ORIGIN")
SECURITY_CONTACTS = env.contacts("PODIUM_SECURITY_CONTACTS")
TRUSTED_PROXIES: int = env.int("PODIUM_TRUSTED_PROXIES", default=1 if HTTPS else 0)
EMAIL = env.email("EMAIL_URL", default="consolemail://" if DEBUG else "")
EMAIL_FROM: str = env.str("PODIUM_EMAIL_FROM", default="")
SIGN_UP = env.one_of("PODIUM_SIGN_UP", "INVITATION", ("OPEN", "INVITATION", "CLOSED")).lower()
UNVERIFIED_DAYS = env.positive("PODIUM_UNVERIFIED_DAYS", default=30)
# Sites that people can sign in with: client id, client secret and, for OpenID Connect, the provider's address.
GITHUB = [env.str("PODIUM_GITHUB_CLIENT_ID", default=""), env.str("PODIUM_GITHUB_CLIENT_SECRET", default="")]
GOOGLE = [env.str("PODIUM_GOOGLE_CLIENT_ID", default=""), env.str("PODIUM_GOOGLE_CLIENT_SECRET", default="")]
OIDC = [env.str("PODIUM_OIDC_CLIENT_ID", default=""), env.str("PODIUM_OIDC_CLIENT_SECRET", default="")]
OIDC_URL: str = env.str("PODIUM_OIDC_URL", default="")
OIDC_NAME: str = env.str("PODIUM_OIDC_NAME", default="Single sign-on")
API_RATE = env.rate("PODIUM_API_RATE", default="600/min")
API_TOKEN_RATE = env.rate("PODIUM_API_TOKEN_RATE", default="600/min")
UPLOAD_LIMIT_MB = env.positive("PODIUM_UPLOAD_LIMIT_MB", default=64)
LOG_LEVEL = env.one_of("PODIUM_LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"))
COMMUNITY = env.slug("PODIUM_COMMUNITY", default="main")
NEW_COMMUNITIES = env.one_of("PODIUM_NEW_COMMUNITIES", "ANYONE", ("ANYONE", "INVITATION", "STAFF")).lower()
MAX_COMMUNITIES = env.positive("PODIUM_MAX_COMMUNITIES", default=10)
MAX_SERIES = env.positive("PODIUM_MAX_SERIES", default=100)
MAX_CONTESTS = env.positive("PODIUM_MAX_CONTESTS", default=20_000)
MAX_PLAYERS = env.positive("PODIUM_MAX_PLAYERS", default=500_000)
MAX_MEMBERS = env.positive("PODIUM_MAX_MEMBERS", default=500)
MAX_TOKENS = env.positive("PODIUM_MAX_TOKENS", default=20)
MAX_STAGED_MB = env.positive("PODIUM_MAX_STAGED_MB", default=1024)
MAX_UPLOADS_A_DAY = env.positive("PODIUM_MAX_UPLOADS_A_DAY", default=500)
MAX_REPORTS_A_DAY = env.positive("PODIUM_MAX_REPORTS_A_DAY", default=30)
REPORT_DAYS = env.positive("PODIUM_REPORT_DAYS", default=14)
LEASE_SECONDS = env.positive("PODIUM_LEASE_SECONDS", default=20)
BROKER_URL = env.broker("CELERY_BROKER_URL", default=REDIS_URL or "filesystem://localhost")


def site() -> str:
    """
    Return the prefix of all cache keys and queues, so that two sites can share one Redis.

    By default, this is the name of the database, which is the same in all processes of a site.
    """
    name = env.str("PODIUM_SITE", default="")
    if not name and DATABASE_URL:
        name = Path(urlsplit(DATABASE_URL).path).name
    if not name:
        return "podium-" + hashlib.sha256(str(VAR.resolve()).encode()).hexdigest()[:8]
    return re.sub(r"[^A-Za-z0-9_-]", "-", name)[:60]


def secret_key() -> str:
    """Return PODIUM_SECRET_KEY; a local site without one gets a random key, stored below var/."""
    key = env.str("PODIUM_SECRET_KEY", default="")
    if key:
        return key
    if not LOCAL:
        raise ImproperlyConfigured(
            "PODIUM_SECRET_KEY is not set. With DATABASE_URL set, this is a production site: give it a long random "
            'value, for example from `python -c "import secrets; print(secrets.token_urlsafe(50))"`.'
        )
    path = VAR / "secret-key"
    if not path.exists():
        make_var(VAR)
        # Site and worker may both be starting for the first time: each writes a complete file, and the first one stays.
        written = VAR / f"secret-key.{secrets.token_hex(8)}"
        written.touch(mode=0o600)
        written.write_text(secrets.token_urlsafe(50))
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(written)
        written.unlink()
    return path.read_text()


def database() -> dict[str, Any]:
    """Return the settings of the database: PostgreSQL from DATABASE_URL, or SQLite in WAL mode below var/."""
    if DATABASE_URL:
        config: dict[str, Any] = env.database("DATABASE_URL")
        if "postgresql" in config["ENGINE"]:
            config["CONN_MAX_AGE"] = env.int("PODIUM_CONN_MAX_AGE", default=60)
            config["CONN_HEALTH_CHECKS"] = True
            # A server-side cursor needs one session; a pooler in transaction mode may give each query another one.
            config["DISABLE_SERVER_SIDE_CURSORS"] = env.bool("PODIUM_POOLED", default=False)
            # If the server disappears with its machine or its network, this process notices within half a minute.
            config["OPTIONS"] = {
                "keepalives": 1, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3,
                "tcp_user_timeout": 25_000, "connect_timeout": 10, **config.get("OPTIONS", {}),
            }  # fmt: skip
            return config
    else:
        make_var(VAR)
        config = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(VAR / "podium.sqlite3")}
        # Tests use a file too: an in-memory database supports neither WAL nor several processes.
        config["TEST"] = {"NAME": str(VAR / "test.sqlite3")}
    if config["NAME"] != ":memory:":
        make_private_file(Path(config["NAME"]))
    config["OPTIONS"] = {
        # A write transaction takes the write lock at its start: waiting there is safe, upgrading later may deadlock.
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY;"
        ),
    }
    return config


def caches() -> dict[str, Any]:
    """Return the cache settings: Redis if there is one, otherwise the memory of this process."""
    if REDIS_URL:
        patience = {"socket_connect_timeout": 0.5, "socket_timeout": 0.5}
        backend = "podium.caching.TolerantRedisCache"
        return {"default": {"BACKEND": backend, "LOCATION": REDIS_URL, "OPTIONS": patience, "KEY_PREFIX": site()}}
    return {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}


def providers() -> dict[str, Any]:
    """Return allauth's settings of the other sites that people can sign in with; {} if there are none."""
    if any([*OIDC, OIDC_URL]) and not re.fullmatch(r"https?://[^/\s]+\S*", OIDC_URL):
        refuse("PODIUM_OIDC_URL", OIDC_URL, "is not the address of a provider", "https://login.example.org/realms/club")
    found: dict[str, Any] = {}
    for provider, prefix, pair in (("github", "GITHUB", GITHUB), ("google", "GOOGLE", GOOGLE)):
        if any(pair):
            found[provider] = {"APPS": [_credentials(prefix, pair)]}
    if any([*OIDC, OIDC_URL]):
        server = {"server_url": OIDC_URL, "oauth_pkce_enabled": True}
        app = {"provider_id": "oidc", "name": OIDC_NAME, "settings": server, **_credentials("OIDC", OIDC)}
        found["openid_connect"] = {"APPS": [app]}
    return found


def provider_origins() -> list[str]:
    """Return where the forms to sign in with another site lead; browsers check that against the content policy."""
    origins = {"github": "https://github.com", "google": "https://accounts.google.com"}
    address = urlsplit(OIDC_URL)
    return [origins.get(provider, f"{address.scheme}://{address.netloc}") for provider in providers()]


def _credentials(prefix: str, pair: list[str]) -> dict[str, str]:
    for name, value in zip(("CLIENT_ID", "CLIENT_SECRET"), pair, strict=True):
        if not value:
            refuse(
                f"PODIUM_{prefix}_{name}", "", "is missing, although other values of this provider are set", "4f1c9a"
            )
    return {"client_id": pair[0], "secret": pair[1]}


def broker_options() -> dict[str, Any]:
    """Return the options of the broker's transport; create the folders of the filesystem transport."""
    if not BROKER_URL.startswith("filesystem"):
        # A dead broker is noticed within seconds: a message may be lost, but a page must not wait.
        # Workers empty the queues in the order in which the settings name them.
        return {
            "socket_connect_timeout": 2, "socket_timeout": 5, "visibility_timeout": 3600, "max_retries": 0,
            "queue_order_strategy": "priority", "global_keyprefix": f"{site()}:",
        }  # fmt: skip
    folder = make_var(VAR) / "broker"
    for name in ("queue", "control"):
        make_private(folder / name)
    return {
        "data_folder_in": str(folder / "queue"),
        "data_folder_out": str(folder / "queue"),
        "control_folder": str(folder / "control"),
    }


def result_backend() -> str:
    """Return where workers store results that someone waits for: Redis if there is one, otherwise files below var/."""
    for url in (REDIS_URL, BROKER_URL):
        if url.startswith(("redis", "unix")):
            return url
    folder = make_var(VAR) / "results"
    make_private(folder)
    return f"file://{folder.resolve()}"
