#!/bin/sh
# Written by Clusterwright, step H39. Takes the node out of service if it is not as it was accepted; before a job, which then starts elsewhere.
exec /usr/local/sbin/node-check --drain
