"""A lab of real hosts on one machine: Debian under systemd in network namespaces, with simulated equipment beside them.

Nothing here is part of Clusterwright's product. `python -m tests.lab up` makes a lab, `down` removes every trace of it.
"""
