#!/usr/bin/env python
"""Django's command line; puts platform/ on the path, so that it also works without the editable install."""

import os
import sys
from pathlib import Path


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "podium.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
    except ImportError as error:
        raise SystemExit(
            f"Django is not installed ({error}). Run `make install`, then use .venv/bin/python."
        ) from error
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # One sentence that names the variable; the place in our code where it was read helps no one.
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent / "platform"))
    main()
