"""Ours against the best peers: same data, same run, alternating, minimum of several rounds, quality beside it."""
