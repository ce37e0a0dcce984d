"""Who gets in: Host, Origin and token, asked on every route by plain HTTP."""

import httpx
import pytest
from anyio import to_thread

from tests.integration.parts import TOKEN, Server

BEARER = {"Authorization": f"Bearer {TOKEN}"}
ROUTES = ["/mcp", "/livez", "/readyz", "/metrics", "/.well-known/oauth-protected-resource", "/register", "/"]


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "[::1"])
def test_a_foreign_host_is_misdirected(server: Server, route: str, host: str):
    assert httpx.get(server.url + route, headers=BEARER | {"Host": host}).status_code == 421


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil.example", "http://[::1"])
def test_a_foreign_origin_is_forbidden(server: Server, route: str, origin: str):
    assert httpx.get(server.url + route, headers=BEARER | {"Origin": origin}).status_code == 403


@pytest.mark.parametrize("host", ["localhost", "LocalHost:1234", "127.0.0.1", "10.1.2.3:8420", "[::1]:8420"])
def test_localhost_and_addresses_are_ours(server: Server, host: str):
    headers = BEARER | {"Host": host, "Origin": f"http://{host}"}
    assert httpx.get(server.url + "/metrics", headers=headers).status_code == 200


@pytest.mark.parametrize("route", ["/mcp", "/metrics"])
@pytest.mark.parametrize(
    "authorization", [None, "", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", "Bearer \xe9"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
def test_without_the_token_nothing_opens(server: Server, route: str, authorization: str | None, method: str):
    headers = [] if authorization is None else [(b"Authorization", authorization.encode("latin-1"))]
    response = httpx.request(method, server.url + route, headers=headers)
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Bearer"


def test_a_token_in_the_query_string_is_none(server: Server):
    assert httpx.get(f"{server.url}/metrics?token={TOKEN}&access_token={TOKEN}").status_code == 401


@pytest.mark.parametrize("route", ["/.well-known/oauth-authorization-server", "/register", "/", "/mcp/", "/metrics/x"])
def test_what_does_not_exist_is_not_found_without_a_token(server: Server, route: str):
    assert httpx.get(server.url + route).status_code == 404


def test_probes_need_no_token(server: Server):
    assert httpx.get(server.url + "/livez").text == "ok\n"
    assert httpx.get(server.url + "/readyz").text == "ok\n"


def test_the_token_opens(server: Server):
    response = server.post("server/discover", {})
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json"
    assert "2026-07-28" in response.json()["result"]["supportedVersions"]


def test_a_body_beyond_reason_is_refused(server: Server):
    response = httpx.post(server.url + "/mcp", content=b" " * 300_000, headers=BEARER)
    assert response.status_code == 413


async def test_metrics_count_calls_by_outcome_and_name_no_scope(server: Server, scope: str):
    async with server.connect() as agent:
        await agent.store("Counted.", scope)
        await agent.client.call_tool("store_memory", {"content": "", "scope": scope})
        await agent.client.call_tool("a-tool-of-no-such-name", {})
    text = await to_thread.run_sync(lambda: httpx.get(server.url + "/metrics", headers=BEARER).text)
    assert 'memstack_tool_calls_total{outcome="ok",tool="store_memory"}' in text
    assert 'memstack_tool_calls_total{outcome="refused",tool="store_memory"}' in text
    assert 'memstack_tool_calls_total{outcome="refused",tool="unknown"}' in text
    assert "memstack_tool_seconds_bucket" in text
    assert "memstack_memories_stored_total" in text
    assert scope not in text
    assert "no-such-name" not in text
