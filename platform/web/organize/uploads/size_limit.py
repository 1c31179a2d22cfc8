"""The limit of the size of uploaded files, enforced while the request is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, StopUpload

if TYPE_CHECKING:
    from typing import Any

    from django.http import HttpRequest

#: Bytes that a multipart request adds to its file, at most.
_ENVELOPE_BYTES = 2**16


class SizeLimit(FileUploadHandler):
    """Refuses a file that is too large before any of it is stored, and sets `refused` for the view."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request)
        self.refused = False
        self.length = 0

    def handle_raw_input(
        self, input_data: Any, META: dict[str, Any], content_length: int, boundary: str, encoding: str | None = None
    ) -> None:
        self.length = content_length

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        if self.length > settings.PODIUM_UPLOAD_LIMIT + _ENVELOPE_BYTES:
            self.refused = True
            # Otherwise Django would continue to read whole lines, and a file may be a single line.
            raise StopUpload(connection_reset=True)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None
