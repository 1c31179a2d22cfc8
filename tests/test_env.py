"""Files that a site creates at its first start."""

import os
import subprocess
import sys

import pytest

from podium import env

READ = "from podium import env; print(env.secret_key())"


def test_processes_that_start_together_for_the_first_time_share_one_secret_key(tmp_path):
    surroundings = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(env.ROOT / "platform"),
        "PODIUM_VAR": str(tmp_path / "var"),
    }
    started = [
        subprocess.Popen([sys.executable, "-c", READ], env=surroundings, stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    keys = {process.communicate()[0].strip() for process in started}
    assert len(keys) == 1
    assert len(keys.pop()) > 40
    assert [path.name for path in (tmp_path / "var").iterdir()] == ["secret-key"]
    assert (tmp_path / "var" / "secret-key").stat().st_mode & 0o777 == 0o600


def started_with(tmp_path, **settings):
    """Load the settings in a process of its own; return what it prints, or the last line of its error."""
    surroundings = {
        "PATH": os.environ["PATH"],
        "PODIUM_VAR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "podium.settings",
    }
    surroundings |= {"PYTHONPATH": f"{env.ROOT / 'platform'}:{env.ROOT}", **settings}
    read = "from django.conf import settings; print(settings.PODIUM_ORIGIN)"
    done = subprocess.run([sys.executable, "-c", read], env=surroundings, capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("origin", "kept"),
    [
        ("https://ratings.example.org", "https://ratings.example.org"),
        ("https://Ratings.Example.org/", "https://ratings.example.org"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_the_origin_of_the_site_can_be_set(tmp_path, origin, kept):
    assert started_with(tmp_path, PODIUM_ORIGIN=origin) == kept


@pytest.mark.parametrize(
    "origin",
    ["ratings.example.org", "ftp://example.org", "https://example.org/podium", "https://u:p@example.org", "https://",
     "https://example.org?x", "https://example.org:99999", "https://exa mple.org", "javascript://x"],
)  # fmt: skip
def test_an_invalid_origin_stops_the_start_and_is_named(tmp_path, origin):
    said = started_with(tmp_path, PODIUM_ORIGIN=origin)
    assert f"PODIUM_ORIGIN='{origin}' is not an origin" in said
