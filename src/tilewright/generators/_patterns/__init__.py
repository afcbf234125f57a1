"""Evolved tile patterns: target distribution, pattern counts and optimization runs."""
