"""Kinds of events about sign-offs that have a module of their own."""
