"""The studio: a web page to run every technique, animate, paint, measure and export maps, and an HTTP API.

`app(settings)` returns an ASGI application with the page at /, the HTTP API under /api and its schema at
/openapi.json. All files are served locally; no other host is contacted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .settings import Settings

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["Settings", "app", "serve"]
DOCS = "/api/docs"


def app(settings: Settings | None = None) -> FastAPI:
    """Return the studio as an ASGI application. Only one per process: NiceGUI registers its pages globally."""
    from fastapi_offline import FastAPIOffline

    from .. import __version__
    from . import page
    from .http import api
    from .http.security import SecurityMiddleware, find_free_paths
    from .jobs import JobQueue

    settings = settings or Settings()
    queue = JobQueue(settings)
    studio: FastAPI = FastAPIOffline(
        title="Tilewright",
        version=__version__,
        summary="Generate, measure and export tile maps.",
        description=api.__doc__ or "",
        swagger_ui_parameters={"validatorUrl": None},
        docs_url=DOCS,
        redoc_url=None,
    )
    studio.state.queue = queue
    routes = api.build_router(queue)
    studio.include_router(routes)
    page.mount(studio, queue)
    studio.add_middleware(
        SecurityMiddleware, settings=settings, free=find_free_paths(routes.routes), pages=(page.PATH, DOCS)
    )
    return studio


def serve(settings: Settings, *, on_ready: Callable[[str], None], try_other_ports: bool = True) -> None:
    """Run the studio until it is stopped.

    Parameters
    ----------
    settings : Settings
        Address, limits and token.
    on_ready : callable
        Called with the studio's URL when it accepts requests.
    try_other_ports : bool, default True
        Whether to use the next free port if the port is in use.

    Raises
    ------
    TilewrightError
        If a package is missing or the studio cannot listen on the address.
    """
    from .http.server import serve

    serve(settings, on_ready=on_ready, try_other_ports=try_other_ports)
