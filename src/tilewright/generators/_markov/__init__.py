"""Markov model: contexts counted in samples, scan order and lookahead."""
