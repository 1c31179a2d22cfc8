"""The rating library imports neither Django nor any other package of the project."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

SCRIPT = """
import sys

class Wall:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"django", "rest_framework", "celery", "contests", "podium"}:
            raise ImportError(f"the library must not import {name}")

sys.meta_path.insert(0, Wall())
from ratings.systems import Contest, SYSTEMS, get_system, replay

for name in SYSTEMS:
    history = replay(get_system(name), [Contest([0, 1, 2], [1, 2, 2])], 3)
    assert history.mu[0] > history.mu[1] == history.mu[2], name
foreign = {module.split(".")[0] for module in sys.modules} - set(sys.stdlib_module_names)
others = {name for name in sys.modules if name.startswith("ratings.") and not name.startswith("ratings.systems")}
# Numba takes half a second to load: only long replays of two-player games ask for it.
print(sorted(foreign & {"django", "numba", "numpy", "ratings"}), sorted(others))
"""


def test_a_bare_python_rates_without_django() -> None:
    run = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "['numpy', 'ratings'] []"
