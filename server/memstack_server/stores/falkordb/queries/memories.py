"""Every query that keeps, changes or deletes a memory, by name.

Constants only: values travel as parameters, and no text of a caller or a model is ever part of a query. A scope has a
graph of its own, so no query needs to filter by one. Facts come back as maps: nodes would name their properties by
numbers that the client has to look up, and that change when a graph is made anew.
"""

from typing import Final, LiteralString

# A fact whose end was known beforehand has ended by now: the same text may begin a new one.
RETIRE: Final[LiteralString] = """
MATCH (f:Fact {live: $live}) WHERE f.invalid_at <= $now
SET f.live = NULL
WITH f MATCH (f)-[:INDEXED]->(e:Entry) REMOVE e:Entry SET e:PastEntry
"""

# Of twenty identical writes at the same time the first creates, the others find it. `live` is the digest of the text
# of a fact that has not ended, so a truth that returns is a new fact, with a fresh key if its own is taken.
REMEMBER: Final[LiteralString] = """
OPTIONAL MATCH (taken:Fact {key: $key})
WITH CASE WHEN taken IS NULL THEN $key ELSE $fresh END AS key
MERGE (f:Fact {live: $live})
ON CREATE SET f += $properties, f.key = key
RETURN f.key
"""

# Storing a text on purpose ends what kept it from coming back.
FORGIVE: Final[LiteralString] = "MATCH (t:Tombstone {key: $live}) DELETE t"

FORGIVE_CLAIM: Final[LiteralString] = "MATCH (t:Tombstone {claim: $claim}) DELETE t"

BURIED: Final[LiteralString] = "MATCH (t:Tombstone) WHERE t.key = $live OR t.claim = $claim RETURN t.key"

NEAREST_TOMBSTONE: Final[LiteralString] = """
MATCH (t:Tombstone)
RETURN t.entities, vec.cosineDistance(t.v, vecf32($vector)) AS distance
ORDER BY distance LIMIT 5
"""

_FACT: Final[LiteralString] = """
OPTIONAL MATCH (f)-[:ABOUT]->(a:Entity)
WITH f, collect(a.name) AS entities
OPTIONAL MATCH (episode:Episode)-[:STATES]->(f)
WITH f, entities, min(episode.key) AS episode
RETURN properties(f), entities, episode
"""

GET: Final[LiteralString] = "MATCH (f:Fact {key: $key})" + _FACT

LIVE: Final[LiteralString] = "MATCH (f:Fact {live: $live})" + _FACT

GET_PASSAGE: Final[LiteralString] = """
MATCH (e:Episode)-[:HOLDS]->(p:Passage {key: $key})
RETURN properties(p), [], e.key
"""

_NEWEST: Final[LiteralString] = """
WITH f ORDER BY f.created_at DESC, f.key DESC LIMIT $limit
OPTIONAL MATCH (f)-[:ABOUT]->(a:Entity)
WITH f, collect(a.name) AS entities
OPTIONAL MATCH (episode:Episode)-[:STATES]->(f)
WITH f, entities, min(episode.key) AS episode
RETURN properties(f), entities, episode ORDER BY f.created_at DESC, f.key DESC
"""

# Newest first; the key tells memories of the same microsecond apart. What has ended is listed only when asked for.
LIST: Final[LiteralString] = "MATCH (f:Fact) WHERE $ended OR f.live IS NOT NULL" + _NEWEST

LIST_AFTER: Final[LiteralString] = (
    "MATCH (f:Fact) WHERE ($ended OR f.live IS NOT NULL) "
    "AND (f.created_at < $created_at OR (f.created_at = $created_at AND f.key < $key))" + _NEWEST
)

COUNT: Final[LiteralString] = "MATCH (f:Fact) WHERE f.live IS NOT NULL RETURN count(f)"

COUNT_ALL: Final[LiteralString] = "MATCH (f:Fact) RETURN count(f)"

TOMBSTONES_FOR_ALL: Final[LiteralString] = """
MATCH (f:Fact)
WITH DISTINCT f.text AS text
MERGE (t:Tombstone {key: text})
ON CREATE SET t.at = $now, t.entities = []
"""

DELETE_EVERYTHING: Final[LiteralString] = "MATCH (n) WHERE NOT n:Tombstone DELETE n"

# The chain on both sides of a fact, oldest first.
HISTORY: Final[LiteralString] = """
MATCH (f:Fact {key: $key})
MATCH (f)-[:SUPERSEDES*0..50]-(g:Fact)
WITH DISTINCT g AS f
OPTIONAL MATCH (newer:Fact)-[:SUPERSEDES]->(f)
WITH f, collect(newer.key) AS newer
RETURN properties(f), [], NULL, newer
ORDER BY f.valid_at, f.created_at
"""

END: Final[LiteralString] = """
MATCH (old:Fact {key: $old}), (new:Fact {key: $new})
MERGE (new)-[s:SUPERSEDES]->(old)
ON CREATE SET s.at = $now, s.reason = $reason
SET old.invalid_at = $invalid_at, old.expired_at = $now, old.reason = $reason
"""

CEASE: Final[LiteralString] = "MATCH (f:Fact {key: $key}) SET f.live = NULL"

# An edit keeps the id: what was said before becomes a fact of its own that gave way, and keeps its entry.
COPY: Final[LiteralString] = """
MATCH (f:Fact {key: $key})
CREATE (past:Fact) SET past = properties(f), past.key = $fresh, past.live = NULL,
  past.invalid_at = f.valid_at, past.expired_at = $now, past.reason = $reason
WITH f, past
MATCH (f)-[:INDEXED]->(e:Entry)
CREATE (past)-[:INDEXED]->(e)
WITH DISTINCT f, past
OPTIONAL MATCH (f)-[s:SUPERSEDES]->(older:Fact)
FOREACH (known IN CASE WHEN older IS NULL THEN [] ELSE [older] END |
  CREATE (past)-[:SUPERSEDES {at: s.at, reason: s.reason}]->(known))
DELETE s
WITH DISTINCT f, past
CREATE (f)-[:SUPERSEDES {at: $now, reason: $reason}]->(past)
"""

CHANGE: Final[LiteralString] = "MATCH (f:Fact {key: $key}) SET f += $properties"

UNTIE: Final[LiteralString] = "MATCH (f:Fact {key: $key})-[a:ABOUT]->(:Entity) DELETE a"

# Everything that holds the words of a fact: earlier wordings, the passages that state it, and their entries.
TRACES: Final[LiteralString] = """
MATCH (f:Fact {key: $key})
OPTIONAL MATCH (f)-[:SUPERSEDES*1..50 {reason: 'edited'}]->(past:Fact)
WITH f, collect(DISTINCT past) AS past
RETURN [p IN past | p.key], f.text
"""

TOMBSTONE: Final[LiteralString] = """
MATCH (f:Fact {key: $key})
OPTIONAL MATCH (f)-[:INDEXED]->(e)
OPTIONAL MATCH (f)-[:ABOUT]->(a:Entity)
WITH f, e, collect(a.key) AS entities
MERGE (t:Tombstone {key: f.text})
ON CREATE SET t.at = $now, t.entities = entities, t.claim = f.claim, t.v = e.v
"""

DELETE_PASSAGES: Final[LiteralString] = """
MATCH (p:Passage)-[:STATES]->(:Fact {key: $key})
OPTIONAL MATCH (p)-[:INDEXED]->(e)
DELETE p, e
"""

# What the fact replaced and what replaced it stay one chain.
RELINK: Final[LiteralString] = """
MATCH (newer:Fact)-[s:SUPERSEDES]->(:Fact {key: $key})-[:SUPERSEDES]->(older:Fact)
MERGE (newer)-[t:SUPERSEDES]->(older)
ON CREATE SET t.at = s.at, t.reason = s.reason
"""

DELETE: Final[LiteralString] = """
MATCH (f:Fact {key: $key})
OPTIONAL MATCH (f)-[:INDEXED]->(e)
DELETE f, e
"""

DELETE_PASSAGE: Final[LiteralString] = """
MATCH (p:Passage {key: $key})
OPTIONAL MATCH (p)-[:INDEXED]->(e)
DELETE p, e
"""

# An entity lives as long as a fact is about it.
DELETE_ORPHANS: Final[LiteralString] = "MATCH (a:Entity) WHERE NOT (:Fact)-[:ABOUT]->(a) DELETE a"
