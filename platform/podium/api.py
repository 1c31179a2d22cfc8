"""REST."""

from rest_framework.pagination import PageNumberPagination as Pages  # noqa: F401
from rest_framework.views import exception_handler as problem_response  # noqa: F401
