"""The workstation's side of a memory: the command `memstack`."""

__version__ = "0.1.0"
