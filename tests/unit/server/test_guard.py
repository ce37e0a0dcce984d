"""Names under which the server is reached beside localhost; the rest is asked over HTTP in the integration tests."""

import pytest
from httpx import ASGITransport, AsyncClient
from starlette.responses import PlainTextResponse

from memstack_server.interfaces.guard import Guard

GUARD = Guard(PlainTextResponse("inside"), "token", ("mem-b.mem-eval.svc", "Mem-B"))


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("mem-b.mem-eval.svc:8420", 200),
        ("mem-b", 200),
        ("MEM-B.mem-eval.svc", 200),
        ("other.mem-eval.svc", 421),
        ("mem-b.mem-eval.svc.evil.example", 421),
        ("mem-b.mem-eval.svc:port", 200),
        ("mem-b,evil.example", 421),
    ],
)
async def test_a_name_is_ours_if_it_is_configured(host: str, status: int):
    async with AsyncClient(transport=ASGITransport(GUARD), base_url="http://localhost") as client:
        assert (await client.get("/livez", headers={"Host": host})).status_code == status


async def test_two_hosts_are_one_too_many():
    headers = [("Host", "localhost"), ("Host", "localhost")]
    async with AsyncClient(transport=ASGITransport(GUARD), base_url="http://localhost") as client:
        assert (await client.get("/livez", headers=headers)).status_code == 421


async def test_a_path_in_neither_list_is_unreachable_even_with_the_token():
    async with AsyncClient(transport=ASGITransport(GUARD), base_url="http://localhost") as client:
        assert (await client.get("/new", headers={"Authorization": "Bearer token"})).status_code == 404
