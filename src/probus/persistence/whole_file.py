"""Writing a file as a whole, or to a device."""

from __future__ import annotations

from pathlib import Path

from probus.persistence._replacing import replacing

__all__ = ["write_whole"]


def write_whole(path: Path, content: bytes) -> None:
    """Write a file completely or not at all; to a device or a pipe, the bytes are written.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "page.html")
    >>> write_whole(path, b"<p>")
    >>> path.read_bytes()
    b'<p>'
    """
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    with replacing(path) as file:
        file.write(content)
