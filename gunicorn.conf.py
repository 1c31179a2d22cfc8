"""Gunicorn settings for production: `gunicorn podium.wsgi`. The command line overrides them."""

import multiprocessing
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

try:
    # The access log has the address of the client instead of the proxy's, and hides secrets in URLs.
    from podium.logs import AccessLog as logger_class  # noqa: F401
except ImproperlyConfigured as error:
    raise SystemExit(f"error: {error}") from None

bind = "127.0.0.1:8000"
# Pages wait for the database more than for the processor; threads share the rank index of their process.
workers = min(2 * multiprocessing.cpu_count() + 1, 9)
threads = 4
# Processes share the memory of imported modules.
preload_app = True
# The largest allowed upload is read and checked within this time.
timeout = 120
# Pages about many players have long addresses. Most proxies accept addresses up to this length too.
limit_request_line = 8190
graceful_timeout = 30
keepalive = 5
# Restarting processes now and then, not all at once, frees memory that large uploads took.
max_requests = 5000
max_requests_jitter = 500
# Keep heartbeat files in memory: on a slow disk, a worker would seem to hang.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None
accesslog = "-"
errorlog = "-"
