"""Arguments that several tools take, each described once."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, Field

from memstack_server.domain import limits
from memstack_server.domain.filters import Filters
from memstack_server.domain.memory import Provenance, Source
from memstack_server.domain.scoring import Weights


def _in_utc(moment: datetime) -> datetime:
    # A model often leaves the zone out.
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


Moment = Annotated[datetime, AfterValidator(_in_utc)]

Scope = Annotated[
    str, Field(description="'project:<identity of the repository>', 'global', or a free lower-case name.")
]
Id = Annotated[str, Field(description="The id of a memory, from a search, a list or a store.")]
EpisodeId = Annotated[str, Field(description="The id of an episode, from add_episode or get_episodes.")]
Number = Annotated[int, Field(description=f"How many to return, 1 to {limits.RESULTS}.")]
CursorText = Annotated[str, Field(description="next_cursor of the page before.")]
Query = Annotated[str, Field(description="What you want to know, in plain words; a question works well.")]

Category = Annotated[str, Field(description="Such as decision, preference, fact, fix.")]
Tags = Annotated[tuple[str, ...], Field(description=f"Up to {limits.TAGS} words to group by.")]
Importance = Annotated[
    int, Field(description="1 passing, 2 context, 3 preference or convention, 4 job, identity or decision, 5 critical.")
]
ValidAt = Annotated[Moment | None, Field(description="From when it holds, if not from now: a date or date-time.")]
Entity = Annotated[str, Field(description="The name of an entity, as search_nodes gives it.")]

OnlyCategory = Annotated[str, Field(description="Only of this category.")]
OnlyTags = Annotated[tuple[str, ...], Field(description="Only with all of these tags.")]
OnlyRepo = Annotated[str, Field(description="Only from this repository.")]
LeastImportance = Annotated[int, Field(description="Only of at least this importance, 1 to 5.")]
Since = Annotated[Moment | None, Field(description="Only what was stored at this moment or later.")]
Until = Annotated[Moment | None, Field(description="Only what was stored before this moment.")]
AsOf = Annotated[Moment | None, Field(description="What was true in the world at this moment.")]
KnownAt = Annotated[Moment | None, Field(description="What this memory knew at this moment.")]
Ended = Annotated[bool, Field(description="Also what was superseded or has ended.")]

FromUser = Annotated[Source, Field(description="user-said only for what the user stated.")]
Repo = Annotated[str, Field(description="Remote URL of the repository.")]
Workspace = Annotated[str, Field(description="Name of the workspace.")]
Worktree = Annotated[str, Field(description="Path of the work tree.")]
BaseDir = Annotated[str, Field(description="Directory that the session runs in.")]
Session = Annotated[str, Field(description="Id of the session.")]

WeighSimilarity = Annotated[float | None, Field(description="Weight of similarity in the score; the three make 1.")]
WeighRecency = Annotated[float | None, Field(description="Weight of recency.")]
WeighImportance = Annotated[float | None, Field(description="Weight of importance.")]
HalfLife = Annotated[float | None, Field(description="Days after which recency has halved.")]


def provenance(source: Source, *parts: str) -> Provenance:
    """Where a write comes from; an empty part is not known."""
    return Provenance(source, *(part or None for part in parts))


def filters(  # noqa: PLR0913 - a filter has these parts
    category: str,
    tags: tuple[str, ...],
    repo: str,
    importance: int,
    *,
    since: datetime | None,
    until: datetime | None,
    as_of: datetime | None,
    known_at: datetime | None,
    ended: bool,
) -> Filters:
    return Filters(category or None, repo or None, tags, importance, since, until, as_of, known_at, ended)


def weights(defaults: Weights, **given: float | None) -> Weights:
    """The defaults, but for what a call gives."""
    return Weights(**(vars(defaults) | {name: value for name, value in given.items() if value is not None}))
