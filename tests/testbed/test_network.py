"""The wire's addresses are free ones."""

import json

import pytest

from testbed import TestbedError, network
from testbed.network import Link


def test_the_first_free_network_is_taken():
    assert network.choose(set()) == Link("198.18.0.1", "198.18.0.2")
    assert network.choose({"198.18.0.1"}) == Link("198.18.0.5", "198.18.0.6")
    assert network.choose({"198.18.0.2", "198.18.0.5"}) == Link("198.18.0.9", "198.18.0.10")


def test_addresses_are_read_from_what_ip_prints():
    printed = [{"addr_info": [{"local": "127.0.0.1"}, {"local": "::1"}]}, {"addr_info": []}, {"addr_info": [{}]}]
    assert network.taken(json.dumps(printed)) == {"127.0.0.1", "::1"}


def test_when_all_are_taken_it_says_what_to_do():
    everything = {str(address) for address in network.POOL}
    with pytest.raises(TestbedError, match="End testbeds that you do not need"):
        network.choose(everything)
