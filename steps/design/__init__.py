"""A site on paper: its file, its preset, and every quantity that follows from them."""
