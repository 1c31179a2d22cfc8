"""How gunicorn serves Podium in production: `gunicorn podium.wsgi`. Its command line overrides all of this."""

import multiprocessing
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

try:
    # Lines of the access log name the client, not the proxy in front, and hide the secrets of addresses.
    from podium.logs import AccessLog as logger_class  # noqa: F401
except ImproperlyConfigured as error:
    raise SystemExit(f"error: {error}") from None

bind = "127.0.0.1:8000"
# Pages wait for the database rather than for the processor; threads share the index of ranks that a process keeps.
workers = min(2 * multiprocessing.cpu_count() + 1, 9)
threads = 4
# Several processes that start at once share what was imported.
preload_app = True
# An upload of the largest size allowed is read and checked within this time.
timeout = 120
graceful_timeout = 30
keepalive = 5
# Memory that a large upload took is given back now and then, not by all processes at the same moment.
max_requests = 5000
max_requests_jitter = 500
# Heartbeat files belong into memory: on a slow disk a worker would seem to hang.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None
accesslog = "-"
errorlog = "-"
