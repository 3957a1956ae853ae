"""A site as designed: its file, its preset, and every quantity that follows from them."""
