"""The record itself: events and their payloads, the hash chain, and payloads of earlier releases."""
