"""What a site makes for itself at its first start."""

import os
import subprocess
import sys

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
