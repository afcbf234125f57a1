"""The studio: a page on which every technique is found, turned, watched, painted on, measured and taken home.

`app(settings)` is the whole of it as an ASGI application: the page at /, the HTTP API under /api, its schema at
/openapi.json. Everything is served from this machine, and nothing asks another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..core.deprecation import renamed_keywords
from .settings import Settings

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["Settings", "app", "serve"]


def app(settings: Settings | None = None) -> FastAPI:
    """The studio. One a process: NiceGUI keeps its pages in one place."""
    from fastapi_offline import FastAPIOffline

    from .. import __version__
    from . import api, page
    from .jobs import JobQueue
    from .security import SecurityMiddleware

    settings = settings or Settings()
    queue = JobQueue(settings)
    studio: FastAPI = FastAPIOffline(
        title="Tilewright",
        version=__version__,
        summary="Tile maps by every technique of the field.",
        description=api.__doc__ or "",
        swagger_ui_parameters={"validatorUrl": None},
        docs_url="/api/docs",
        redoc_url=None,
    )
    studio.include_router(api.build_router(queue))
    page.mount(studio, queue)
    studio.add_middleware(SecurityMiddleware, settings=settings)
    return studio


@renamed_keywords(ready="on_ready", other_port="try_other_ports")
def serve(settings: Settings, *, on_ready: Callable[[str], None], try_other_ports: bool = True) -> None:
    """Run the studio until it is stopped; calls `ready` with its address once it answers there."""
    from .server import serve

    serve(settings, on_ready=on_ready, try_other_ports=try_other_ports)
