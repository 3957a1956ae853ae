"""Write packages for others to check.

Example:
    clusterwright export bundle turnover

"""
