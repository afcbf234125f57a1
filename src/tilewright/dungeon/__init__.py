"""Joining rooms: which of them are linked, where their doors are, and how corridors lead from one to another."""
