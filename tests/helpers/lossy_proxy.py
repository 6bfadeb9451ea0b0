"""A proxy before an HTTP server that loses some answers: the server has carried out the request."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

_OWN = {"transfer-encoding", "connection", "content-length"}


@contextmanager
def lossy_proxy(endpoint: str, loses: Callable[[str, str], bool]) -> Iterator[str]:
    """Yield the endpoint of a proxy.

    If ``loses`` is true for a method and a path, the client gets status 500 instead of the answer.
    """
    target = urlsplit(endpoint).netloc

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = self.rfile.read(length)
            to = HTTPConnection(target, timeout=60)
            to.request(self.command, self.path, body, dict(self.headers.items()))
            answer = to.getresponse()
            content = answer.read()
            lost = loses(self.command, self.path)
            self.send_response(500 if lost else answer.status)
            if not lost:
                for name, value in answer.getheaders():
                    if name.lower() not in _OWN:
                        self.send_header(name, value)
            content = b"" if lost else content
            shown = answer.getheader("Content-Length") if self.command == "HEAD" else None
            self.send_header("Content-Length", shown or str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            to.close()

        do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any

        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
