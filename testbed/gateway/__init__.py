"""The real LiteLLM proxy with virtual keys, offline: behind it a stand-in for Ollama, beside it a decoy cloud."""

from testbed.gateway.gateway import Gateway

__all__ = ["Gateway"]
