"""What must be done: the catalog, the design of a site, its schedule, and the readers of results.

Pure data and pure functions. Nothing in this room opens a database, a socket or a process, or reads a clock.
"""
