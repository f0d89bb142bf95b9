"""A service on a port of this machine, for those who open it in a browser."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from steelyard.serve.service import Service


@contextmanager
def served(app: Any, service: Service) -> Iterator[str]:
    """Its address while it is served."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen(128)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", access_log=False))
        service.ending = lambda: server.should_exit
        thread = threading.Thread(target=server.run, kwargs={"sockets": [held]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.02)
        try:
            yield f"http://127.0.0.1:{held.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)
