"""Messages to administrators of a production site, at the start and from `manage.py check --deploy`."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.processes import ROOT

if TYPE_CHECKING:
    from pathlib import Path

CHECK = ("manage.py", "check", "--deploy", "--fail-level", "WARNING")


def run(*command: str, powerless: bool = False, told: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """
    Run a program in a bare environment, without the suite's own settings.

    told
        What it reads from its standard input.
    powerless
        Whether even root has to obey file modes.
    """
    names = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "platform"), "LANG": "C.UTF-8", **environment}
    before = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if powerless and os.geteuid() == 0 else []
    line = [*before, sys.executable, *command]
    return subprocess.run(line, cwd=ROOT, env=names, input=told, capture_output=True, text=True, check=False)


def production(folder: Path, **more: str) -> dict[str, str]:
    """The smallest environment of a production site."""
    return {
        "DATABASE_URL": os.environ.get("DATABASE_URL", "postgres://podium:secret@127.0.0.1/podium"),
        "REDIS_URL": os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0"),
        "PODIUM_SECRET_KEY": secrets.token_urlsafe(50),
        "PODIUM_ALLOWED_HOSTS": "ratings.example.org",
        "PODIUM_VAR": str(folder),
        **more,
    }


@pytest.mark.postgres_only
def test_production_settings_pass_django_s_deployment_check(tmp_path):
    """Two findings are left out on purpose: HSTS for subdomains and the preload list are for the domain's owner."""
    done = run(*CHECK, **production(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "no issues (2 silenced)" in done.stdout
    done = run(*CHECK, **production(tmp_path, PODIUM_HSTS_SUBDOMAINS="1", PODIUM_HSTS_PRELOAD="1"))
    assert done.returncode == 0, done.stderr
    assert "no issues (0 silenced)" in done.stdout


def test_only_tests_hash_passwords_fast(tmp_path):
    code = (
        "import django; django.setup(); from django.contrib.auth.hashers import make_password; "
        "print(make_password('correct-horse-battery'))"
    )
    settings = production(tmp_path, DJANGO_SETTINGS_MODULE="podium.settings")
    algorithm, iterations, *_ = run("-c", code, **settings).stdout.split("$")
    assert algorithm == "pbkdf2_sha256"
    assert int(iterations) >= 600_000  # OWASP's minimum for this hasher


def test_strict_transport_security_covers_subdomains_only_where_it_is_wanted(tmp_path):
    code = (
        "import django; django.setup(); from django.test import Client; "
        "print(Client().get('/.well-known/security.txt', secure=True, headers={'host': 'ratings.example.org'})"
        "['Strict-Transport-Security'])"
    )
    more = {"DJANGO_SETTINGS_MODULE": "podium.settings", "PODIUM_SECURITY_CONTACTS": "security@example.org"}
    settings = production(tmp_path, **more)
    assert run("-c", code, **settings).stdout.strip() == "max-age=31536000"
    wanted = run("-c", code, **settings, PODIUM_HSTS_SUBDOMAINS="1", PODIUM_HSTS_PRELOAD="1")
    assert wanted.stdout.strip() == "max-age=31536000; includeSubDomains; preload"


@pytest.mark.postgres_only
def test_the_check_finds_what_would_break_later(tmp_path):
    """One run of the program finds all that is wrong."""
    (tmp_path / "files").mkdir(mode=0o500)
    settings = production(tmp_path)
    changes = {name: settings[name].replace(":", ":not-", 2).replace("not-//", "//") for name in ("DATABASE_URL",)}
    changes["REDIS_URL"] = settings["REDIS_URL"].replace("default:", "default:not-")
    changes |= {"PODIUM_HTTPS": "0", "PODIUM_ALLOWED_HOSTS": "*", "PODIUM_HSTS_PRELOAD": "1"}
    done = run(*CHECK, powerless=True, **settings | changes)
    assert done.returncode != 0
    for words in (
        "SECURE_SSL_REDIRECT",
        f"cannot write to {tmp_path}/files, which belongs to",
        "PODIUM_ALLOWED_HOSTS is *",
        "PODIUM_HSTS_PRELOAD has no effect without PODIUM_HSTS_SUBDOMAINS",
        "REDIS_URL: refuses the login",
        "The database cannot be used: connection failed",
    ):
        assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_the_check_finds_unavailable_servers(tmp_path):
    nowhere = {"DATABASE_URL": "postgres://podium:x@127.0.0.1:1/podium", "REDIS_URL": "redis://127.0.0.1:1/0"}
    done = run(*CHECK, **production(tmp_path / "missing") | nowhere)
    assert "podium.E003" in done.stderr
    assert "podium.W004" in done.stderr
    assert "missing does not exist" in done.stderr


def test_a_production_site_without_a_secret_key_refuses_to_start_and_says_why(tmp_path):
    done = run("manage.py", "check", **production(tmp_path, PODIUM_SECRET_KEY=""))
    assert done.returncode != 0
    assert "PODIUM_SECRET_KEY is not set" in done.stderr
    assert "secrets.token_urlsafe" in done.stderr


#: Name, value, and what the sentence about it has to say.
WRONG = [
    ("DATABASE_URL", "nonsense", "Example: DATABASE_URL=postgres://"),
    ("DATABASE_URL", "postgres://", "Example: DATABASE_URL=postgres://"),
    ("DATABASE_URL", "mysql://podium:secret@127.0.0.1/podium", "Example: DATABASE_URL=postgres://"),
    ("DATABASE_URL", "postgres://podium:secret@127.0.0.1:abc/podium", "Port could not be cast"),
    ("REDIS_URL", "127.0.0.1:6379", "Example: REDIS_URL=redis://"),
    ("CELERY_BROKER_URL", "carrier-pigeon://coop", "Example: CELERY_BROKER_URL=redis://"),
    ("PODIUM_HTTPS", "perhaps", "is neither on nor off"),
    ("PODIUM_DEBUG", "2", "is neither on nor off"),
    ("PODIUM_TRUSTED_PROXIES", "-1", "is not a whole number, 0 or more"),
    ("PODIUM_UPLOAD_LIMIT_MB", "64MB", "is not a whole number"),
    ("PODIUM_UPLOAD_LIMIT_MB", "0", "is not a whole number, 1 or more"),
    ("PODIUM_CONN_MAX_AGE", "1.5", "is not a whole number, 0 or more"),
    ("PODIUM_API_RATE", "600", "Example: PODIUM_API_RATE=600/min"),
    ("PODIUM_LOG_LEVEL", "loud", "DEBUG, INFO, WARNING, ERROR"),
    ("PODIUM_ALLOWED_HOSTS", "https://ratings.example.org", "Example: PODIUM_ALLOWED_HOSTS=ratings.example.org"),
    ("PODIUM_SECURITY_CONTACTS", "http://example.org/security", "starts with https://, mailto: or tel:"),
    ("PODIUM_SECURITY_CONTACTS", "security", "is neither an email address nor a URI"),
    ("PODIUM_CSRF_TRUSTED_ORIGINS", "ratings.example.org", "Example: PODIUM_CSRF_TRUSTED_ORIGINS=https://"),
]

#: Reads the settings once for each pair of lines: name and value.
READ = """
import importlib, os, sys
from django.core.exceptions import ImproperlyConfigured
from podium import env
for name, value in zip(*[iter(sys.stdin.read().splitlines())] * 2):
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        importlib.reload(env).database()
        print("nothing is wrong")
    except ImproperlyConfigured as error:
        print(error)
    os.environ.pop(name) if before is None else os.environ.update({name: before})
"""


def test_an_invalid_setting_gives_one_sentence_with_an_example(tmp_path):
    pairs = "".join(f"{name}\n{value}\n" for name, value, _ in WRONG)
    done = run("-c", READ, told=pairs, **production(tmp_path))
    said = done.stdout.splitlines()
    assert len(said) == len(WRONG), done.stderr
    for (name, value, words), sentence in zip(WRONG, said, strict=True):
        assert sentence.startswith(f"{name}="), (name, value, sentence)
        assert f"Example: {name}=" in sentence
        assert words in sentence
        assert "secret" not in sentence


def test_a_command_ends_with_the_sentence_about_an_invalid_setting(tmp_path):
    done = run("manage.py", "check", **production(tmp_path, DATABASE_URL="nonsense"))
    assert done.returncode == 1
    assert done.stderr == (
        "error: DATABASE_URL='nonsense' does not name a PostgreSQL database. "
        "Example: DATABASE_URL=postgres://podium:password@127.0.0.1:5432/podium\n"
    )


def test_an_empty_setting_counts_as_not_set(tmp_path):
    code = "from podium import env; print(env.HTTPS, env.TRUSTED_PROXIES, env.ALLOWED_HOSTS, env.LOG_LEVEL)"
    empty = dict.fromkeys(("PODIUM_HTTPS", "PODIUM_TRUSTED_PROXIES", "PODIUM_ALLOWED_HOSTS", "PODIUM_LOG_LEVEL"), "")
    done = run("-c", code, **production(tmp_path) | empty)
    assert done.stdout.strip() == "True 1 ['localhost', '127.0.0.1', '[::1]'] INFO"


def test_gunicorn_ends_with_the_sentence_about_an_invalid_setting(tmp_path):
    command = ("-m", "gunicorn", "--bind", "127.0.0.1:0", "--workers", "1", "podium.wsgi")
    done = run(*command, **production(tmp_path, DATABASE_URL="nonsense"))
    assert done.returncode != 0
    assert "error: DATABASE_URL='nonsense' does not name a PostgreSQL database" in done.stderr
    assert "Traceback" not in done.stderr


#: What a visitor's browser gets with the page, in one process.
HEADERS = """
import django; django.setup()
from django.conf import settings
from django.test import Client
answer = Client().get("/language/de/", secure=True, headers={"host": "ratings.example.org"})
print(answer.cookies.output(header=""))
print(settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, settings.LANGUAGE_COOKIE_NAME)
"""


def test_cookies_belong_to_this_host_alone_under_https(tmp_path):
    """RFC 6265bis, section 4.1.3.2: such a cookie is Secure, has the path / and names no domain."""
    # Static files from their sources: this site has collected none.
    settings = production(tmp_path, DJANGO_SETTINGS_MODULE="podium.settings", PODIUM_DEBUG="1")
    cookie, names = run("-c", HEADERS, **settings).stdout.strip().splitlines()
    assert cookie.strip().startswith("__Host-language=de;")
    assert {"Path=/", "Secure", "HttpOnly", "SameSite=Lax"} <= {part.strip() for part in cookie.split(";")}
    assert "Domain" not in cookie
    assert names.split() == ["__Host-sessionid", "__Host-csrftoken", "__Host-language"]
    plain = run("-c", HEADERS.replace(", secure=True", ""), **settings, PODIUM_HTTPS="0")
    cookie, names = plain.stdout.strip().splitlines()
    assert cookie.strip().startswith("language=de;")
    assert "Secure" not in cookie
    assert names.split() == ["sessionid", "csrftoken", "language"]
