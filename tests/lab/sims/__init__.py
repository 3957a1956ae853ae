"""Simulated equipment that speaks the real protocols. Runs on the lab's simulator host with Debian's Python alone."""
