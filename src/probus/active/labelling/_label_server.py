"""A small server on this machine only: a token in the address, and no answer to pages of other origins."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from probus import __version__
from probus.active.labelling._label_page import label_page
from probus.active.labelling._session import LabellingSession
from probus.errors import DataError

_LARGEST = 65_536  # bytes of a request
_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)


class LabelServer(ThreadingHTTPServer):
    """Serves a session at ``url`` until ``shutdown``.

    Only programs that know the token of the address are answered. A request must name this server as its host, and what
    changes something must come from its page: a page of another origin cannot reach it, not by DNS rebinding either.

    Parameters
    ----------
    session : what is served.
    port : the port; 0 is any that is free.
    """

    daemon_threads = True

    def __init__(self, session: LabellingSession, port: int = 0):
        self.session, self.token = session, secrets.token_urlsafe(24)
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise DataError(f"port {port} cannot be used: {error.strerror}.", "a free port", "0 is any.") from None
        self.origins = tuple(f"http://{host}:{self.server_port}" for host in ("127.0.0.1", "localhost"))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print what went wrong, but not that a browser closed its connection."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @property
    def url(self) -> str:
        """The address of the page, with its token."""
        return f"{self.origins[0]}/{self.token}/"


class _Handler(BaseHTTPRequestHandler):
    server: LabelServer
    server_version = f"probus/{__version__}"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self) -> None:
        """The page, or what it shows."""
        path = self._path()
        if path == "":
            nonce = secrets.token_urlsafe(16)
            session = self.server.session
            page = label_page(session.learner.target, session.name, session.saved_in, nonce)
            self._send(HTTPStatus.OK, page.encode(), "text/html; charset=utf-8", policy=_POLICY.format(nonce=nonce))
        elif path == "state":
            self._send_state()
        elif path is not None:
            self._refuse(HTTPStatus.NOT_FOUND, "There is no such page.")

    def do_POST(self) -> None:
        """An answer of the person."""
        path = self._path()
        if path is None:
            return
        if self.headers.get("Origin") not in self.server.origins:
            self._refuse(HTTPStatus.FORBIDDEN, "The request comes from another page.")
            return
        body = self._body()
        if body is None:
            return
        session = self.server.session
        actions: dict[str, Callable[[], None]] = {
            "answer": lambda: session.answer(_row(body), _label(body)),
            "skip": lambda: session.skip(_row(body)),
            "undo": session.undo,
        }
        if path not in actions:
            self._refuse(HTTPStatus.NOT_FOUND, "There is no such action.")
            return
        try:
            actions[path]()
        except DataError as error:
            self._send_state(HTTPStatus.CONFLICT, error=str(error).partition("\n")[0])
            return
        self._send_state()

    # -- inside ----------------------------------------------------------------------------------------

    def _path(self) -> str | None:
        """The path after the token; None where the request was refused."""
        if self.headers.get("Host") not in [origin.removeprefix("http://") for origin in self.server.origins]:
            self._refuse(HTTPStatus.FORBIDDEN, "The request is for another host.")
            return None
        token, slash, rest = self.path.partition("?")[0].removeprefix("/").partition("/")
        if not secrets.compare_digest(token.encode(), self.server.token.encode()) or not slash:
            self._refuse(HTTPStatus.NOT_FOUND, "The address is not complete: copy it as it was printed.")
            return None
        return rest

    def _body(self) -> dict[str, Any] | None:
        """The request as a dict; None where it was refused."""
        length = self.headers.get("Content-Length", "")
        if self.headers.get_content_type() != "application/json" or not (length.isdecimal() and len(length) < 10):
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Expected JSON, and its length.")
            return None
        if int(length) > _LARGEST:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request is too long.")
            return None
        try:
            body = json.loads(self.rfile.read(int(length)) or b"{}")
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            self._refuse(HTTPStatus.BAD_REQUEST, "Expected a JSON object.")
            return None
        return body

    def _send_state(self, status: HTTPStatus = HTTPStatus.OK, error: str = "") -> None:
        try:
            state = self.server.session.state()
        except Exception as problem:  # of any model: the answers are saved, and the page goes on
            status, state = HTTPStatus.CONFLICT, {"error": f"No row can be chosen: {problem}"}
        if error:
            state["error"] = error
        self._send(status, json.dumps(state, ensure_ascii=False).encode(), "application/json; charset=utf-8")

    def _refuse(self, status: HTTPStatus, reason: str) -> None:
        self.close_connection = True
        self._send(status, f"{reason}\n".encode(), "text/plain; charset=utf-8")

    def _send(self, status: HTTPStatus, content: bytes, kind: str, policy: str = "default-src 'none'") -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Security-Policy": policy, "Content-Type": kind}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: the terminal shows the address, and a log would show the token."""


def _row(body: dict[str, Any]) -> int:
    row = body.get("row")
    if not isinstance(row, int) or isinstance(row, bool):
        raise DataError("an answer without a row.", "the number of the row")
    return row


def _label(body: dict[str, Any]) -> str:
    label = body.get("label")
    if not isinstance(label, str) or len(label) > 200 or any("\ud800" <= each <= "\udfff" for each in label):
        raise DataError("an answer without a label.", "a class, as text of 200 letters at most")
    return label
