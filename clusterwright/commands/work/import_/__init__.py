"""Read what others changed in a file, and record it if you say so.

Example:
    clusterwright import schedule plan.xml

"""
