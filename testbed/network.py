"""The wire between a testbed with a node and its host.

The host has one end of it (`Link.outside`), the testbed the other (`Link.inside`): its API server answers there, and
what listens at the host's end can be reached from every pod. Nothing else can: a testbed has no way to the internet.
"""

import ipaddress
import json
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path

from testbed import folders, processes
from testbed.errors import TestbedError
from testbed.locks import locked

POD_CIDR = "10.88.0.0/17"
# Set aside for tests between networks (RFC 2544): no home or office uses it.
POOL = ipaddress.ip_network("198.18.0.0/16")


@dataclass(frozen=True)
class Link:
    outside: str
    inside: str


def connect(name: str, host: int) -> Link:
    """Lay the wire of testbed NAME from inside its network to the host's, given as a descriptor.

    It vanishes with the testbed's network, soon after the last process in it.
    """
    device = _device(name)

    def outside(*command: str) -> str:
        return processes.run("nsenter", f"--net=/proc/self/fd/{host}", "ip", *command, keep=(host,))

    with locked(folders.runs() / "network.lock"):
        link = choose(taken(outside("-json", "address")))
        outside("link", "add", device, "type", "veth", "peer", "name", "eth0", "netns", "1")
        outside("address", "add", f"{link.outside}/30", "dev", device)
        outside("link", "set", device, "up")
    processes.run("ip", "link", "set", "lo", "up")
    processes.run("ip", "address", "add", f"{link.inside}/30", "dev", "eth0")
    processes.run("ip", "link", "set", "eth0", "up")
    processes.run("ip", "route", "add", "default", "via", link.outside)
    return link


def disconnect(name: str) -> None:
    """Take away what the kernel has not yet taken of an ended testbed's wire."""
    if (Path("/sys/class/net") / _device(name)).exists():
        with suppress(TestbedError):  # the kernel was quicker
            processes.run("ip", "link", "delete", _device(name))


def _device(name: str) -> str:
    return "ms-" + sha256(name.encode()).hexdigest()[:10]  # a device's name has at most 15 characters


def taken(addresses: str) -> set[str]:
    """Every address in what `ip -json address` printed."""
    return {info["local"] for device in json.loads(addresses) for info in device["addr_info"] if "local" in info}


def choose(used: set[str]) -> Link:
    """The first two addresses of the first network of four whose addresses nobody has."""
    for subnet in POOL.subnets(new_prefix=30):
        outside, inside = map(str, islice(subnet.hosts(), 2))
        if not {outside, inside} & used:
            return Link(outside, inside)
    raise TestbedError(f"No address is free in {POOL}. End testbeds that you do not need: `python -m testbed list`.")
