"""Check the items of an activity one by one.

Readings are judged at once. An item that fails opens a non-conformance.

Example:
    clusterwright check list H08@pod-001
    clusterwright check item H08@pod-001 hall-1/row-02/rack-01 rack.bond_resistance=50mohm

"""
