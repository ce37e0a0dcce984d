"""Text is kept as it was written, whatever is in it, and never becomes part of a query or a name."""

import pytest

from tests.integration.parts import Server, Store

TEXTS = [
    "state-of-the-art e-mail co-operation",
    'it\'s "quoted" and `ticked`',
    "\\",
    'ends with a backslash and a quote \\"',
    "'}) DETACH DELETE n RETURN ({x:'",
    "$key {key: $key} CYPHER v=1 MATCH (n) DELETE n",
    "/* comment */ // rest --",
    "😀 family 👨‍👩‍👧 flag 🇩🇪",
    "数据库在周二备份。日本語も。",
    "mixed: Grüße aus München, naïve café, \u0645\u0631\u062d\u0628\u0627",
    "tabs\tand\nnew\r\nlines",
    "_ / \\ % @ # | ~ ^ * ( ) [ ]",
    "null",
    "1e5",
    "no-break\u00a0space, zero\u200bwidth, line\u2028separator",
]


@pytest.mark.parametrize("text", TEXTS)
async def test_a_text_comes_back_verbatim(server: Server, scope: str, text: str):
    async with server.connect() as agent:
        stored = await agent.store(text, scope, category=f"<{text}>", tags=[text], session=f"<{text}>")
        assert await agent.contents(scope) == [text]
        memory = await agent.call("get_memory", id=stored["id"])
        assert {hit["content"] for hit in await agent.search(text, scope) if hit["scope"] == scope} == {text}
    assert (memory["content"], memory["tags"]) == (text, [text])
    assert memory["category"] == memory["session"] == f"<{text}>"


@pytest.mark.parametrize(
    "name",
    [
        "global",
        "eval-2026-05",
        "project:github.com/some-owner/some.repo_name",
        "project:/home/peter/my projects/'quoted' \"twice\"",
        "project:'}) DETACH DELETE n //",
        "project:数据库/😀",
        "project:mem:scopes",
    ],
)
async def test_a_scope_is_named_verbatim_and_holds_only_its_own(server: Server, store: Store, name: str):
    text = f"A memory of {name}"
    async with server.connect() as agent:
        stored = await agent.store(text, name)
        assert stored["scope"] == name
        assert (await agent.search(text, name))[0]["scope"] == name
        assert (await agent.call("get_memory", id=stored["id"]))["scope"] == name
        assert name in (await agent.call("get_status"))["memories"]
    assert f"mem:{stored['id'][:10]}" in store.graphs()


async def test_every_character_that_is_not_refused_is_kept(server: Server, scope: str):
    blocks = [
        range(0x20, 0x7F),
        range(0x80, 0x400),
        range(0x2000, 0x2100),
        range(0xE000, 0xE100),
        range(0xFE00, 0x10000),
    ]
    async with server.connect() as agent:
        for block in blocks:
            text = f"x{''.join(map(chr, block))}x"
            stored = await agent.store(text, scope)
            assert (await agent.call("get_memory", id=stored["id"]))["content"] == text
