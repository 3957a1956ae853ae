"""Memory of the process that the C library keeps. One without these calls decides by itself."""

from __future__ import annotations

import ctypes

ARENA_MAX = -8
"""M_ARENA_MAX of malloc.h."""
ARENAS = 2
"""Of how many pools threads take memory. With one for each thread, an idle engine of a large site keeps 10 to 20 MB more."""


def share_pools() -> None:
    """Let all threads that begin from now on share few pools of memory."""
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        library.mallopt(ARENA_MAX, ARENAS)


def return_freed() -> None:
    """Return freed memory to the system."""
    library = ctypes.CDLL(None)
    if hasattr(library, "malloc_trim"):
        library.malloc_trim(0)
