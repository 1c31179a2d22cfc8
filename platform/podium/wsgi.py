"""The WSGI entry point for gunicorn."""

import os

from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "podium.settings")

try:
    application = get_wsgi_application()
except ImproperlyConfigured as error:
    # One sentence about the variable, for the log of the service.
    raise SystemExit(f"error: {error}") from None
