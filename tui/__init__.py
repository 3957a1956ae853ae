"""Seeing and signing: screens over the ledger's questions, and every decision as the command that it is."""

import os

os.environ.setdefault(
    "TEXTUAL_FPS", "120"
)  # Textual reads it when it is imported: at its 60 a key is painted a frame later
