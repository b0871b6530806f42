"""An OTLP collector on loopback: keeps what is sent to it."""

import gzip
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


@dataclass
class Collector:
    """Every span that arrived, and the bytes they came in."""

    url: str = ""
    spans: list[Span] = field(default_factory=list[Span])
    services: set[str] = field(default_factory=set[str])
    bodies: list[bytes] = field(default_factory=list[bytes])

    def take(self, body: bytes) -> None:
        self.bodies.append(body)
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            told = {each.key: each.value.string_value for each in resource.resource.attributes}
            self.services.add(told["service.name"])
            for scope in resource.scope_spans:
                self.spans.extend(scope.spans)

    def named(self, name: str) -> Span:
        return next(span for span in self.spans if span.name == name)


@contextmanager
def collecting() -> Generator[Collector]:
    """A collector, for as long as it is needed."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            packed = self.headers.get("Content-Encoding") == "gzip"
            collector.take(gzip.decompress(body) if packed else body)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collector.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield collector
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
