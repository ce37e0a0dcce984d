"""The memory server: stores and finds memories over MCP."""

__version__ = "0.1.0"
