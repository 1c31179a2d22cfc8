"""Print a digest of every system's ratings, to show that a change of the code did not change a single bit.

    python scripts/export_digest.py SHARED > before.txt
    git switch BRANCH
    python scripts/export_digest.py SHARED > after.txt
    diff before.txt after.txt

SHARED is a folder with data/formula1/contests.jsonl.gz and data/codeforces/contests.jsonl.gz. Each system rates all of
Formula 1 and the first 100 Codeforces rounds with its default parameters. Each line of the output has the system, the
collection and a SHA-256 of the bytes of all rating changes, in the order of the input. Digests of two commits can only
be compared if the processor, NumPy and SciPy are the same.
"""

import argparse
import hashlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "bench"))

from reading import our_contests, read

from ratings.systems import SYSTEMS, History, get_system, replay

COLLECTIONS: dict[str, int | None] = {"formula1": None, "codeforces": 100}
COLUMNS = ("contest", "player", "rank", "field", "mu_before", "sigma_before", "mu", "sigma", "performance")


def digest_of(history: History) -> str:
    """Return the SHA-256 of all rating changes, column by column."""
    digest = hashlib.sha256()
    for name in COLUMNS:
        digest.update(getattr(history, name).tobytes())
    return digest.hexdigest()


def main() -> None:
    """Print one line for each system and collection."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shared", type=Path, help="the folder that holds data/")
    shared = parser.parse_args().shared
    for collection, limit in COLLECTIONS.items():
        contests, handles = our_contests(read(shared, collection, limit))
        for name in SYSTEMS:
            print(name, collection, digest_of(replay(get_system(name), contests, len(handles))), flush=True)


if __name__ == "__main__":
    main()
