"""Kinds of events about work that have a module of their own."""
