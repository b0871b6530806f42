"""What the API says of itself; made once, because that takes a second."""

from typing import Any

from longterm import Settings
from longterm.api.app import create_app
from longterm.runtime import Runtime

ROOT: dict[str, Any] = create_app(Runtime(Settings(database_url="postgresql://nowhere"))).openapi()
