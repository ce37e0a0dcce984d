from pathlib import Path

import pytest
from pydantic import AnyHttpUrl, ValidationError

from memstack_server.settings import Settings

EVERYTHING = Settings(
    host="0.0.0.0",
    port=9000,
    token_file=Path("/etc/memstack/token"),
    allowed_hosts=("mem-b", "mem-b.mem-eval.svc"),
    store_url="unix:///run/store.sock",
    store_password_file=Path("/etc/memstack/password"),
    gateway_url=AnyHttpUrl("http://litellm.litellm.svc:4000"),
    gateway_key_file=Path("/etc/memstack/key"),
    embedding_model="ollama/bge-m3",
    embedding_dimensions=1024,
    exit_with_parent=True,
)


@pytest.mark.parametrize("settings", [EVERYTHING, Settings(token_file=Path("/t"))])
def test_an_environment_reproduces_the_settings_it_was_made_of(settings: Settings):
    assert Settings.from_environment(settings.environment()) == settings


def test_defaults_are_left_out_of_an_environment():
    assert Settings(token_file=Path("/t")).environment() == {"MEMSTACK_TOKEN_FILE": "/t"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"MEMSTACK_PORT": "0"},
        {"MEMSTACK_STORE_URL": "http://store"},
        {"MEMSTACK_EMBEDDING_DIMENSIONS": "0"},
        {"MEMSTACK_GATEWAY_URL": "litellm:4000"},
        {"MEMSTACK_TOKEN": "the token itself"},
    ],
)
def test_a_wrong_variable_is_refused_and_named(wrong: dict[str, str]):
    with pytest.raises(ValidationError) as refusal:
        Settings.from_environment({"MEMSTACK_TOKEN_FILE": "/t"} | wrong)
    (error,) = refusal.value.errors()
    assert f"MEMSTACK_{error['loc'][0]}".upper() in wrong
