"""Every query to the store, by name.

Constants only: values travel as parameters, and no text of a caller or a model is ever part of a query. A scope has a
graph of its own, so no query needs to filter by one. Facts come back as maps: nodes would name their properties by
numbers that the client has to look up, and that change when a graph is made anew.
"""

from typing import Final, LiteralString

# One lookup by key must not cost a walk through the scope; MERGE finds its match by it too.
CREATE_KEY_INDEX: Final[LiteralString] = "CREATE INDEX FOR (f:Fact) ON (f.key)"

# One query is one transaction: of twenty identical writes at the same time the first creates, the others find it.
# The vector stands on a node of its own that is never changed, since changing any property of a node that carries an
# indexed vector can leave an orphan in the index.
STORE: Final[LiteralString] = """
MERGE (f:Fact {key: $key})
ON CREATE SET f += $properties
MERGE (f)-[:EMBEDDED]->(e:Embedding)
ON CREATE SET e.v = vecf32($vector)
RETURN properties(f)
"""

# Exact: while a scope is small this is as quick as an index, and misses nothing. Facts are fetched for the best only.
SEARCH: Final[LiteralString] = """
MATCH (e:Embedding)
WITH e, vec.cosineDistance(e.v, vecf32($vector)) AS distance
ORDER BY distance LIMIT $k
MATCH (f:Fact)-[:EMBEDDED]->(e)
RETURN properties(f), distance
ORDER BY distance, f.key
"""

GET: Final[LiteralString] = "MATCH (f:Fact {key: $key}) RETURN properties(f)"

DELETE: Final[LiteralString] = """
MATCH (f:Fact {key: $key})
OPTIONAL MATCH (f)-[:EMBEDDED]->(e:Embedding)
DELETE f, e
"""

# Newest first; the key tells memories of the same microsecond apart.
LIST: Final[LiteralString] = """
MATCH (f:Fact)
RETURN properties(f)
ORDER BY f.created_at DESC, f.key DESC LIMIT $limit
"""

LIST_AFTER: Final[LiteralString] = """
MATCH (f:Fact)
WHERE f.created_at < $created_at OR (f.created_at = $created_at AND f.key < $key)
RETURN properties(f)
ORDER BY f.created_at DESC, f.key DESC LIMIT $limit
"""

COUNT: Final[LiteralString] = "MATCH (f:Fact) RETURN count(f)"
