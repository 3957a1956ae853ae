"""Reads the neighbours of ports out of what hosts, switches, controllers and subnet managers say."""
