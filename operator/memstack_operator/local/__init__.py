"""A MemoryStack on this machine, without a cluster: its store and its server as two child processes."""
