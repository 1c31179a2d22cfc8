"""What belongs to no application: health, and the pages for errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpResponse, JsonResponse
from django.shortcuts import render

if TYPE_CHECKING:
    from django.http import HttpRequest


def healthz(request: HttpRequest) -> HttpResponse:
    """Say that this process answers."""
    return HttpResponse("ok\n", content_type="text/plain")


def readyz(request: HttpRequest) -> HttpResponse:
    """Say whether this process can do its work: the database answers and its tables are up to date."""
    try:
        executor = MigrationExecutor(connection)
        pending = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    except Exception as error:  # any failure of any database driver means the same here
        return JsonResponse({"ready": False, "problem": f"database: {type(error).__name__}"}, status=503)
    if pending:
        return JsonResponse({"ready": False, "problem": f"{pending} migrations to run"}, status=503)
    return JsonResponse({"ready": True})


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "403.html", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer without a template context: whatever broke may break again."""
    return HttpResponse(
        "<!doctype html><html lang=en><title>Something broke</title><h1>Something broke</h1>"
        "<p>The error has been written down. Nothing was stored. Please try again in a minute.</p></html>",
        status=500,
    )
