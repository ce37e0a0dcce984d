"""Starts and stops the real parts that tests meet, on this machine and without a registry of images."""

from testbed.bed import Testbed
from testbed.errors import TestbedError

__all__ = ["Testbed", "TestbedError"]
