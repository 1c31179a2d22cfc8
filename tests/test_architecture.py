"""The architecture, checked by tests: imports between packages, and the length of files."""

from __future__ import annotations

import importlib.util
import platform
import re
import subprocess
import sys
import sysconfig
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest
from django.core.management import call_command

ROOT = Path(__file__).resolve().parents[1]
OURS = ("contests", "ratings", "platform", "scripts", "tests")


def sources(*patterns: str, folders: tuple[str, ...] = OURS) -> list[Path]:
    return sorted(path for folder in folders for pattern in patterns for path in (ROOT / folder).rglob(pattern))


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a bare environment, without the suite's own settings."""
    names = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "platform"), "LANG": "C.UTF-8", **environment}
    return subprocess.run([sys.executable, *command], cwd=ROOT, env=names, capture_output=True, text=True, check=False)


def test_packages_import_each_other_in_one_direction_only():
    done = run(str(Path(sys.executable).with_name("lint-imports")), "--no-cache")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "9 kept, 0 broken" in done.stdout


def test_no_module_imports_itself_through_others_not_even_for_its_types():
    packages = ("podium", "web", "accounts", "ratings", "contests")
    graph = grimp.build_graph(*packages, cache_dir=None)
    assert len(graph.modules) > 500
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # raises CycleError with the modules of a circle


def test_the_folder_platform_does_not_hide_the_module_platform():
    assert not (ROOT / "platform" / "__init__.py").exists()
    assert Path(platform.__file__).parent == Path(sysconfig.get_path("stdlib"))
    done = run("-c", "import sys; sys.path.insert(0, ''); import platform; print(platform.python_implementation())")
    assert done.stdout.strip() == platform.python_implementation()


def test_the_site_is_importable_as_podium():
    spec = importlib.util.find_spec("podium")
    assert spec is not None
    assert spec.origin is not None
    assert Path(spec.origin) == ROOT / "platform" / "podium" / "__init__.py"


def test_files_stay_short_enough_to_be_read():
    python = [path for path in sources("*.py") if path.parent.name != "migrations"]
    assert len(python) > 100
    too_long = {str(path.relative_to(ROOT)): lines(path) for path in python if lines(path) > 450}
    assert too_long == {}


def test_no_module_is_hidden_by_a_folder_of_its_name():
    """Python imports `people/` and never `people.py` beside it, even if the folder has no `__init__.py`."""
    hidden = [str(path.relative_to(ROOT)) for path in sources("*.py") if any(path.with_suffix("").glob("*.py"))]
    assert hidden == []


def test_scripts_of_pages_stay_short():
    scripts = [path for path in sources("*.js", folders=("static",)) if "vendor" not in path.parts]
    assert len(scripts) >= 5
    too_long = {path.name: lines(path) for path in scripts if lines(path) >= 100}
    assert too_long == {}


def test_no_file_has_a_comment_about_unfinished_work():
    promise = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
    found = [path for path in sources("*.py", "*.html", "*.css") if promise.search(path.read_text(encoding="utf-8"))]
    assert [path for path in found if path != Path(__file__)] == []


@pytest.mark.django_db
def test_no_migration_is_missing():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_a_local_site_keeps_a_secret_key_of_its_own_that_only_its_owner_can_read(tmp_path):
    keys = []
    for _ in range(2):
        done = run("-c", "from podium.settings import SECRET_KEY; print(SECRET_KEY)", PODIUM_VAR=str(tmp_path))
        keys.append(done.stdout.strip())
    assert len(keys[0]) > 50
    assert keys[0] == keys[1]
    assert (tmp_path / "secret-key").stat().st_mode & 0o077 == 0


def test_every_setting_of_the_environment_is_explained():
    code = (ROOT / "platform" / "podium" / "env.py").read_text(encoding="utf-8")
    names = set(re.findall(r"env\.\w+\(\s*\"([A-Z_]+)\"", code))
    assert {"DATABASE_URL", "REDIS_URL", "PODIUM_SECRET_KEY", "PODIUM_ALLOWED_HOSTS"} <= names
    table = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^\| `([A-Z_]+)` \|", table, flags=re.MULTILINE))
    assert explained == names


def test_nothing_but_env_py_reads_the_environment():
    readers = [
        path.relative_to(ROOT).as_posix()
        for path in sources("*.py", folders=("contests", "ratings", "platform"))
        if re.search(r"os\.environ|getenv|\benviron\b", path.read_text(encoding="utf-8"))
    ]
    # Besides env.py, the two entry points name the settings module, as Django requires.
    named = ("celery.py", "env.py", "wsgi.py")
    assert readers == [f"platform/podium/{name}" for name in named]
