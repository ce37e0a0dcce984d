"""The way to the model gateway, shared by all that asks it: one request, one answer, or why there was none."""

from collections.abc import Mapping

import httpx

_CONNECT_SECONDS = 3  # a host that is there answers soon, however long its models take


class Unanswered(Exception):
    """The gateway gave no answer; the message says so in a few words, without any text of a request."""

    def __init__(self, words: str, retry_after: float | None = None) -> None:
        super().__init__(words)
        self.retry_after = retry_after


class Unreachable(Unanswered):
    """No connection, or one that broke."""


class TimedOut(Unanswered):
    """Connected, and no answer in time."""


class Refused(Unanswered):
    """An answer with a status that is no success; its body is dropped, because it may repeat the request."""

    def __init__(self, status: int, retry_after: float | None) -> None:
        super().__init__(f"status {status}", retry_after)
        self.status = status


class Connection:
    """Posts JSON to the gateway.

    Args:
        url: Base URL of the gateway, as a person types it.
        key: The gateway's key, if it asks for one.
    """

    def __init__(self, url: str, key: str | None) -> None:
        self.url = url.rstrip("/")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        # No proxy, whatever the environment says: a text goes to the gateway that was named and to nobody on the way.
        direct: dict[str, None] = {"http://": None, "https://": None, "all://": None}
        self._client = httpx.AsyncClient(headers=headers, mounts=direct)

    async def post(self, path: str, body: Mapping[str, object], seconds: float) -> bytes:
        """The body of a successful answer.

        Args:
            path: Below the gateway's URL, from the slash on.
            body: To be sent as JSON.
            seconds: How long the answer may take.

        Raises:
            Unreachable: There is no gateway, or the connection to it broke.
            TimedOut: It took longer than it may.
            Refused: It answered with another status than success.
        """
        try:
            timeout = httpx.Timeout(seconds, connect=_CONNECT_SECONDS)
            response = await self._client.post(f"{self.url}{path}", json=body, timeout=timeout)
        except httpx.ConnectTimeout as error:
            raise Unreachable(type(error).__name__) from error
        except httpx.TimeoutException as error:
            raise TimedOut(type(error).__name__) from error
        except httpx.RequestError as error:
            raise Unreachable(type(error).__name__) from error
        if not response.is_success:
            raise Refused(response.status_code, _seconds(response.headers.get("Retry-After")))
        return response.content

    async def aclose(self) -> None:
        await self._client.aclose()


def _seconds(header: str | None) -> float | None:
    """What `Retry-After` asks for, if it asks in seconds; its other form, a date, depends on two clocks."""
    return float(header) if header and header.isascii() and header.isdigit() else None
