"""Memory that was freed and that the C library keeps for what comes next."""

import ctypes


def return_freed() -> None:
    """Return freed memory to the system. Where the C library cannot be asked to, it does so by itself, or not."""
    library = ctypes.CDLL(None)
    if hasattr(library, "malloc_trim"):
        library.malloc_trim(0)
