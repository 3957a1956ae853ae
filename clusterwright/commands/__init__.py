"""A folder a group of `--help`, a file a command; see `clusterwright.tree`."""
