"""Queries by which a text's facts are compared with what stands, and tied to it."""

from typing import Final, LiteralString

_STANDING: Final[LiteralString] = """
MATCH (f)-[:INDEXED]->(e)
WITH f, vec.cosineDistance(e.v, vecf32($vector)) AS distance
ORDER BY distance LIMIT $limit
OPTIONAL MATCH (f)-[:ABOUT]->(a:Entity)
WITH f, distance, collect(a.key) AS keys
RETURN properties(f), keys, distance
ORDER BY distance
"""

# What may be said anew, or replaced: facts of the same slot, facts about the same, and the nearest of all. Of the same
# slot also what has ended: a story told out of order may end it earlier.
OF_SLOT: Final[LiteralString] = "MATCH (f:Fact {slot: $slot}) WITH f" + _STANDING

ABOUT_SAME: Final[LiteralString] = (
    "UNWIND $entities AS k MATCH (:Entity {key: k})<-[:ABOUT]-(f:Fact) WHERE f.live IS NOT NULL WITH DISTINCT f"
    + _STANDING
)

NEAREST: Final[LiteralString] = (
    "UNWIND $ids AS i MATCH (x:Entry) WHERE id(x) = i MATCH (f:Fact)-[:INDEXED]->(x) WHERE f.live IS NOT NULL WITH f"
    + _STANDING
)

# A fact that an episode states, drawn from it or known before.
STATE: Final[LiteralString] = """
MATCH (e:Episode {key: $episode}), (f:Fact {live: $live})
MERGE (e)-[:STATES]->(f)
"""

STATE_IN_PASSAGE: Final[LiteralString] = """
MATCH (:Episode {key: $episode})-[:HOLDS {position: $position}]->(p:Passage), (f:Fact {live: $live})
MERGE (p)-[:STATES]->(f)
"""

# A passage that says what was deleted would bring it back.
DROP_PASSAGE: Final[LiteralString] = """
MATCH (:Episode {key: $episode})-[:HOLDS {position: $position}]->(p:Passage)
OPTIONAL MATCH (p)-[:INDEXED]->(entry)
DELETE p, entry
"""

DESCRIBE: Final[LiteralString] = "MATCH (f:Fact {live: $live}) SET f += $properties, f.slot = $slot"
