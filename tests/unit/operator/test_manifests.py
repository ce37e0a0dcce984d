"""What is shipped as files agrees with what is in the code."""

from pathlib import Path
from typing import Any

import yaml

from memstack_operator import __main__
from memstack_operator.api import parse

MANIFESTS = Path(__file__).parents[3] / "manifests"


def documents(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((MANIFESTS / name).read_text()))


def operator_pod() -> dict[str, Any]:
    return documents("operator.yaml")[0]["spec"]["template"]["spec"]


def test_the_sample_is_a_stack() -> None:
    stack = parse(documents("samples/mem-b.yaml")[0])
    assert (stack.metadata.namespace, stack.metadata.name) == ("mem-eval", "mem-b")


def test_operator_and_servers_are_of_one_image() -> None:
    (container,) = operator_pod()["containers"]
    environment = {entry["name"]: entry["value"] for entry in container["env"]}
    assert container["image"] == environment["MEMSTACK_IMAGE"] == __main__.IMAGE


def test_the_probes_ask_where_the_operator_answers() -> None:
    (container,) = operator_pod()["containers"]
    assert [str(port["containerPort"]) for port in container["ports"]] == [__main__.HEALTH_PORT]


def test_no_rule_is_open_ended() -> None:
    (role,) = [each for each in documents("rbac.yaml") if each["kind"] == "ClusterRole"]
    words = {word for rule in role["rules"] for part in rule.values() for word in part}
    assert not {word for word in words if "*" in word}
