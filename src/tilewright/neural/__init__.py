"""Learned generators: training in PyTorch, and predictions by integer arithmetic, which need no PyTorch."""
