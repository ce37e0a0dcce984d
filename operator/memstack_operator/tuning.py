"""What of an object the server needs wherever it runs: its models, and how it ranks."""

from memstack_operator.api import MemoryStack


def tuning(stack: MemoryStack) -> dict[str, object]:
    """Values for the server's `Settings`, by their names."""
    models, scoring = stack.spec.models, stack.spec.scoring
    return {
        "gateway_url": models.gateway.url if models.gateway else None,
        "extraction_model": models.extraction,
        "embedding_model": models.embedding.name,
        "embedding_dimensions": models.embedding.dimensions,
        "weight_similarity": scoring.similarity,
        "weight_recency": scoring.recency,
        "weight_importance": scoring.importance,
        "half_life_days": scoring.half_life_days,
    }
