"""Memory that was freed and that the C library keeps for what comes next."""

import ctypes


def return_freed() -> None:
    """Return freed memory to the system. A C library without `malloc_trim` decides by itself when it does so."""
    library = ctypes.CDLL(None)
    if hasattr(library, "malloc_trim"):
        library.malloc_trim(0)
