"""How much of anything one call may carry."""

CONTENT_CHARACTERS = 8_000
EPISODE_CHARACTERS = 8_000  # what a small model reads in one go
PASSAGE_CHARACTERS = 1_000  # what one vector can stand for
QUERY_CHARACTERS = 2_000
SCOPE_CHARACTERS = 300
LABEL_CHARACTERS = 100  # a category or a tag
TAGS = 20
PROVENANCE_CHARACTERS = 1_000  # paths and URLs
RESULTS = 100
REQUEST_BYTES = 256 * 1024  # the longest content, each character escaped as \uXXXX\uXXXX, twice over
