"""
Count the files that a reader of the code passes through: `python scripts/walks.py`.

Three walks over a temporary site with the demo data: one CSV from the posted file to a published run, one player's
page, one REST call. A file counts if one of its functions runs, a template if it is rendered; code that runs at import
does not count. Then the shape of the import graph: its longest chain, and the modules with a single importer.
--list names the files.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "platform"), str(ROOT)]
PACKAGES = ("podium", "web", "accounts", "ratings", "contests")
#: The limits: files in a walk, modules in a chain, and the percentage of modules with a single importer.
UPLOAD, PROFILE, CHAIN, SINGLE = 60, 25, 10, 15


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="name the files of each walk and the modules")
    is_listed = parser.parse_args().list
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(
            DJANGO_SETTINGS_MODULE="podium.settings", PODIUM_VAR=folder, PODIUM_DEBUG="1", PODIUM_LOG_LEVEL="ERROR",
            PODIUM_ALLOWED_HOSTS="testserver",
        )  # fmt: skip
        for name in ("DATABASE_URL", "REDIS_URL", "CELERY_BROKER_URL"):
            os.environ.pop(name, None)
        walks()(is_listed)
    print_graph(is_listed)


def walks() -> Callable[[bool], None]:
    """Create the site, and return a function that takes the three walks and prints their files."""
    import django

    django.setup()
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.test import Client
    from django.test.utils import setup_test_environment
    from django.utils import timezone

    from contests.models import Series
    from contests.services.contests import create_contest
    from contests.services.describing import ContestDescription
    from ratings.models import Rating

    settings.DEBUG = False  # pages as visitors get them, on a site without collected files
    call_command("migrate", verbosity=0)
    with open(os.devnull, "w") as nowhere:
        call_command("demo", stdout=nowhere)
    setup_test_environment()
    load_everything()
    organizer = User.objects.get(username="demo")
    series = Series.objects.get(slug="harbour-cup")
    player = Rating.objects.filter(series=series).select_related("player")[0].player
    draft = create_contest(series.pk, description=ContestDescription("Walk", timezone.now()), actor=organizer)
    client = Client()
    client.force_login(organizer)

    def go(is_listed: bool) -> None:
        report("upload", walked(lambda: upload_walk(client, draft)), UPLOAD, is_listed)
        report("player page", walked(lambda: _get(Client(), f"/c/main/players/{player.handle}/")), PROFILE, is_listed)
        report(
            "REST call",
            walked(lambda: _get(Client(), f"/api/v1/communities/main/series/{series.slug}/leaderboard/")),
            None,
            is_listed,
        )

    return go


def upload_walk(client: Any, draft: Any) -> None:
    """Upload a file, open its review, save it, preview and finalize the contest, and rate it in this process."""
    from django.core.files.uploadedfile import SimpleUploadedFile
    from django.urls import reverse

    from ratings.publishing.refresh import refresh_series

    table = SimpleUploadedFile("round.csv", b"rank,handle\n1,walker one\n2,walker two\n3,walker three\n")
    page = client.post(reverse("organize:upload", args=[draft.pk]), {"file": table}, follow=True)
    address = page.redirect_chain[-1][0]
    assert page.context["review"].counts.total == 3, page.content
    client.post(f"{address}save/", {"version": page.context["version"]})
    proposed = client.post(reverse("organize:finalize", args=[draft.pk]))
    client.get(proposed["Location"])
    client.post(proposed["Location"])
    run = refresh_series(draft.series_id)
    draft.refresh_from_db()
    assert draft.finalized_at is not None
    assert run is not None
    assert run.state == "published", run.state


def _get(client: Any, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)


def load_everything() -> None:
    """Import all modules and compile all templates beforehand, so that no walk includes that."""
    import grimp
    from django.template.loader import get_template
    from django.urls import get_resolver

    for module in sorted(grimp.build_graph(*PACKAGES, cache_dir=None).modules):
        if ".migrations" not in module and module != "podium.settings":
            importlib.import_module(module)
    get_resolver()._populate()

    for path in sorted((ROOT / "templates").rglob("*.*")):
        get_template(str(path.relative_to(ROOT / "templates")))


def walked(go: Callable[[], None]) -> list[str]:
    """Return the project's files whose functions run or whose templates are rendered, in order of first use."""
    from django.test.signals import template_rendered

    found: dict[str, None] = {}
    templates = ROOT / "templates"

    @cache
    def ours(filename: str) -> str | None:
        path = Path(filename)
        if not path.is_relative_to(ROOT) or ".venv" in path.parts or path.parts[-2] == "scripts":
            return None
        return str(path.relative_to(ROOT))

    def called(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>" and (path := ours(frame.f_code.co_filename)):
            found[path] = None

    def rendered(template: Any, **_details: object) -> None:
        path = Path(template.origin.name)
        if path.is_relative_to(templates):
            found[str(path.relative_to(ROOT))] = None

    template_rendered.connect(rendered)
    threading.setprofile(called)
    sys.setprofile(called)
    try:
        go()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        template_rendered.disconnect(rendered)
    return list(found)


def report(name: str, files: list[str], target: int | None, is_listed: bool) -> None:
    count = sum(path.endswith(".py") for path in files)
    asked = "" if target is None else f" (target: at most {target})"
    print(f"{name}: {len(files)} files{asked}: {count} of Python, {len(files) - count} templates")
    if is_listed:
        print("".join(f"    {path}\n" for path in sorted(files)), end="")


def print_graph(is_listed: bool) -> None:
    """
    Print the longest chain of run-time imports, and the modules that have a single importer of any kind.

    Some modules are named only by a list of routes, an app's configuration or their own package. Django and registries
    need such modules, so they are counted separately.
    """
    import grimp

    at_run_time = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True, cache_dir=None)

    @cache
    def longest(module: str) -> tuple[str, ...]:
        below = (longest(each) for each in at_run_time.find_modules_directly_imported_by(module))
        return (module, *max(below, key=len, default=()))

    chain = max(map(longest, sorted(at_run_time.modules)), key=len)
    print(f"longest import chain: {len(chain)} modules (target: at most {CHAIN}): {' -> '.join(chain)}")
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    modules = sorted(module for module in graph.modules if ".migrations" not in module)
    single = {
        module: importers.pop()
        for module in modules
        if len(importers := graph.find_modules_that_directly_import(module)) == 1
    }
    registered = {module for module, importer in single.items() if _registers(importer, module)}
    for words, count in (
        ("modules with one importer", len(single)),
        ("of these, not only named in a list of routes, an app's configuration or a package's registry",
         len(single) - len(registered)),
    ):  # fmt: skip
        share = 100 * count / len(modules)
        print(f"{words}: {count} of {len(modules)}, {share:.0f} % (target: under {SINGLE} %)")
    if is_listed:
        for module, importer in single.items():
            print(f"    {module} <- {importer}{' (registered)' if module in registered else ''}")


def _registers(importer: str, module: str) -> bool:
    """Return whether the importer only names the module: routes, apps.py, or the package that the module is in."""
    return importer.split(".")[-1] in {"urls", "urls_api", "apps"} or module.startswith(f"{importer}.")


if __name__ == "__main__":
    main()
