"""What waits for the language model: a stream for each scope, worked on in order by one worker at a time.

A worker takes a scope by a lease that expires unless it is renewed. What it found out is written in one transaction
that watches the lease: a worker that was overtaken, however late it wakes, changes nothing. The entry leaves the stream
in that same transaction, so a job is done once, or not yet.
"""

from collections.abc import Awaitable
from dataclasses import dataclass
from secrets import token_hex
from typing import Any, Final, cast

from memstack_server.stores.falkordb.connection import Connection, Overtaken, Transaction
from memstack_server.stores.falkordb.errors import mapped

MEMORY: Final = "memory"
EPISODE: Final = "episode"

_WAITING = "mem:queue"
_ATTEMPTS = "mem:attempts"
_DEAD = "mem:dead"
_LEASE_SECONDS = 10  # as long is a scope left alone when its worker is killed

# The lease goes only if it is still ours.
_RELEASE: Final = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
_RENEW: Final = (
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('EXPIRE', KEYS[1], ARGV[2]) end return 0"
)
# A scope is waiting as long as its stream has an entry: looked at and changed in one step.
_SETTLE: Final = "if redis.call('XLEN', KEYS[1]) == 0 then return redis.call('SREM', KEYS[2], ARGV[1]) end return 0"


@dataclass(frozen=True)
class Job:
    """One text to draw facts from: a memory's or an episode's, by its key in the scope."""

    slug: str
    entry: str
    kind: str
    key: str
    attempts: int
    corrections: str | None  # what the scope's counter of corrections said when the job was taken up


@dataclass(frozen=True)
class Dead:
    """A job that failed for good, and why."""

    id: str
    slug: str
    kind: str
    key: str
    reason: str


@dataclass(frozen=True)
class Lease:
    slug: str
    token: str


def add(transaction: Transaction, slug: str, kind: str, key: str) -> None:
    """Adds a job to the scope's queue, in the transaction that writes what the job is about: two commands."""
    transaction.command("XADD", _stream(slug), "*", "kind", kind, "key", key)
    transaction.command("SADD", _WAITING, slug)


def note_correction(transaction: Transaction, slug: str) -> None:
    """Adds the command that tells a worker of the scope that somebody deleted or changed something meanwhile."""
    transaction.command("INCR", _corrections(slug))


class Queue:
    """Every method may raise `StoreUnavailable`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._redis = connection.redis

    async def waiting(self) -> list[str]:
        """The slugs of the scopes in which something waits."""
        with mapped():
            return sorted(await cast("Awaitable[set[str]]", self._redis.smembers(_WAITING)))

    async def take(self, slug: str) -> Lease | None:
        """The right to work on a scope; None while another worker has it."""
        lease = Lease(slug, token_hex(8))
        with mapped():
            taken = await self._redis.set(_lease(slug), lease.token, nx=True, ex=_LEASE_SECONDS)
        return lease if taken else None

    async def renew(self, lease: Lease) -> bool:
        """Whether the lease still was ours; it lasts for another while then."""
        with mapped():
            return bool(await self._script(_RENEW, [_lease(lease.slug)], lease.token, _LEASE_SECONDS))

    async def release(self, lease: Lease) -> None:
        with mapped():
            await self._script(_RELEASE, [_lease(lease.slug)], lease.token)
            await self._script(_SETTLE, [_stream(lease.slug), _WAITING], lease.slug)

    async def head(self, slug: str) -> Job | None:
        """The oldest job of the scope."""
        with mapped():
            entries: Any = await self._redis.xrange(_stream(slug), count=1)
            if not entries:
                return None
            entry, fields = entries[0]
            attempts: Any = await self._redis.hget(_ATTEMPTS, f"{slug}/{entry}")
            corrections: Any = await self._redis.get(_corrections(slug))
        return Job(slug, entry, fields["kind"], fields["key"], int(attempts or 0), corrections)

    async def position(self, slug: str, key: str) -> int | None:
        """How many jobs of the scope are to be done before this one; None if it waits no longer."""
        with mapped():
            entries: Any = await self._redis.xrange(_stream(slug))
        keys = [fields["key"] for _, fields in entries]
        return keys.index(key) if key in keys else None

    async def length(self, slug: str) -> int:
        with mapped():
            return await self._redis.xlen(_stream(slug))

    async def finishing(self, lease: Lease, job: Job) -> Transaction:
        """A transaction that ends the job.

        It is done only if, when it runs, the lease still is ours and nobody corrected anything since the job was taken
        up: what was deleted while the model was thinking must not come back.

        Raises:
            Overtaken: That is not so already.
        """
        transaction = self._connection.transaction()
        if await transaction.watch(_lease(lease.slug), _corrections(job.slug)) != [lease.token, job.corrections]:
            await transaction.pipe.reset()
            raise Overtaken("another worker or a correction came first; nothing was changed.")
        transaction.command("XDEL", _stream(job.slug), job.entry)
        transaction.command("HDEL", _ATTEMPTS, f"{job.slug}/{job.entry}")
        return transaction

    async def failed(self, job: Job) -> None:
        """Counts an attempt that failed."""
        with mapped():
            await self._redis.hincrby(_ATTEMPTS, f"{job.slug}/{job.entry}", 1)

    async def dead(self) -> list[Dead]:
        """What failed for good, oldest first."""
        with mapped():
            entries: Any = await self._redis.xrange(_DEAD)
        return [Dead(id=entry, **fields) for entry, fields in entries]

    async def replay(self, dead: Dead) -> None:
        """Gives a dead job another chance, at the end of its scope's queue."""
        transaction = self._connection.transaction()
        transaction.command("XDEL", _DEAD, dead.id)
        add(transaction, dead.slug, dead.kind, dead.key)
        await transaction.run()

    async def _script(self, script: str, keys: list[str], *arguments: str | int) -> object:
        return await self._redis.eval(script, len(keys), *keys, *map(str, arguments))


def bury(transaction: Transaction, job: Job, reason: str) -> None:
    """Adds the job to those that failed for good."""
    transaction.command("XADD", _DEAD, "*", "slug", job.slug, "kind", job.kind, "key", job.key, "reason", reason)


def drop(transaction: Transaction, slug: str) -> None:
    """Adds the commands that empty a scope's queue."""
    transaction.command("DEL", _stream(slug))
    transaction.command("SREM", _WAITING, slug)


def _stream(slug: str) -> str:
    return f"mem:queue:{slug}"


def _lease(slug: str) -> str:
    return f"mem:lease:{slug}"


def _corrections(slug: str) -> str:
    return f"mem:corrections:{slug}"
