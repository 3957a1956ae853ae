"""The record itself: events and their payloads, the hash chain, and how payloads of earlier releases are read."""
