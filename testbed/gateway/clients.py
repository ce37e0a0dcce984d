"""HTTP clients for what runs on this machine: no proxy comes between."""

import httpx


def client(url: str, key: str = "") -> httpx.Client:
    """A client of the server at URL that sends KEY, if there is one, as its bearer token."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False)


def answers(client: httpx.Client, path: str) -> bool:
    """Whether a GET of PATH succeeds now."""
    try:
        return client.get(path).is_success
    except httpx.TransportError:
        return False
