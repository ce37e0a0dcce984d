"""Queries about episodes: kept, told about, deleted."""

from typing import Final, LiteralString

# The same text told again is the same episode. $added tells whoever made it from whoever came later.
ADD: Final[LiteralString] = """
MERGE (e:Episode {key: $key})
ON CREATE SET e += $properties, e.added = $added
RETURN e.key
"""

# Passages are found like facts, so they carry what facts are filtered by.
HOLD: Final[LiteralString] = """
MATCH (e:Episode {key: $episode, added: $added})
MERGE (p:Passage {key: $key})
ON CREATE SET p += $properties
MERGE (e)-[h:HOLDS]->(p)
ON CREATE SET h.position = $position
"""

_WHOLE: Final[LiteralString] = """
OPTIONAL MATCH (e)-[h:HOLDS]->(p:Passage)
WITH e, h, p ORDER BY h.position
WITH e, collect(p.content) AS passages
OPTIONAL MATCH (e)-[:STATES]->(f:Fact)
WITH e, passages, count(f) AS facts
RETURN properties(e), passages, facts
"""

GET: Final[LiteralString] = "MATCH (e:Episode {key: $key})" + _WHOLE

LIST: Final[LiteralString] = (
    "MATCH (e:Episode) WITH e ORDER BY e.said_at DESC, e.key DESC LIMIT $limit"
    + _WHOLE
    + "ORDER BY e.said_at DESC, e.key DESC"
)

LIST_AFTER: Final[LiteralString] = (
    "MATCH (e:Episode) WHERE e.said_at < $said_at OR (e.said_at = $said_at AND e.key < $key) "
    "WITH e ORDER BY e.said_at DESC, e.key DESC LIMIT $limit" + _WHOLE + "ORDER BY e.said_at DESC, e.key DESC"
)

# A worker that was overtaken may come late; what is done stays done.
SET_STATE: Final[LiteralString] = (
    "MATCH (e:Episode {key: $key}) WHERE e.state <> 'done' SET e.state = $state, e.reason = $reason"
)

# Facts that only this episode states, and that nobody wrote by hand.
OWN_FACTS: Final[LiteralString] = """
MATCH (e:Episode {key: $key})-[:STATES]->(f:Fact)
WHERE f.drawn
OPTIONAL MATCH (other:Episode)-[:STATES]->(f) WHERE other <> e
WITH f, count(other) AS others WHERE others = 0
RETURN f.key
"""

# A passage that another episode holds too stays.
DELETE_PASSAGES: Final[LiteralString] = """
MATCH (e:Episode {key: $key})-[:HOLDS]->(p:Passage)
OPTIONAL MATCH (other:Episode)-[:HOLDS]->(p) WHERE other <> e
WITH p, count(other) AS others WHERE others = 0
OPTIONAL MATCH (p)-[:INDEXED]->(entry)
DELETE p, entry
"""

DELETE: Final[LiteralString] = "MATCH (e:Episode {key: $key}) DELETE e"
