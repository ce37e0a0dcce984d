"""Whether a text holds a secret.

Tokens with a form of their own are known by detect-secrets and by the prefixes below. Whatever else is called a
password, a token or a key is taken for one if its value looks made and not written: a word of a language is none.
"""

import re
from functools import cache
from importlib import import_module
from typing import Protocol

# Detectors that go by form. Left out: those that go by entropy, which take commits, digests and UUIDs for secrets, the
# one that goes by keywords, which takes "password_file: /etc/x" for one, and the one that looks for addresses.
_DETECTORS = (
    ("artifactory", "ArtifactoryDetector"),
    ("aws", "AWSKeyDetector"),
    ("azure_storage_key", "AzureStorageKeyDetector"),
    ("cloudant", "CloudantDetector"),
    ("discord", "DiscordBotTokenDetector"),
    ("github_token", "GitHubTokenDetector"),
    ("gitlab_token", "GitLabTokenDetector"),
    ("jwt", "JwtTokenDetector"),
    ("mailchimp", "MailchimpDetector"),
    ("npm", "NpmDetector"),
    ("openai", "OpenAIDetector"),
    ("private_key", "PrivateKeyDetector"),
    ("pypi_token", "PypiTokenDetector"),
    ("sendgrid", "SendGridDetector"),
    ("slack", "SlackDetector"),
    ("square_oauth", "SquareOAuthDetector"),
    ("stripe", "StripeDetector"),
    ("telegram_token", "TelegramBotTokenDetector"),
    ("twilio", "TwilioKeyDetector"),
)
_PREFIXED = re.compile(
    r"\b(?:sk-(?:ant-|proj-|or-|live-)?[\w-]{16,}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|gh[pousr]_\w{20,}|github_pat_\w{20,}"
    r"|glpat-[\w-]{16,}|hf_\w{20,}|dckr_pat_[\w-]{20,}|hv[sbr]\.[\w-]{20,}|(?:AKIA|ASIA)[0-9A-Z]{16}|xox[abprs]-[\w-]{10,}"
    r"|(?:rk|sk|pk)_live_\w{16,}|whsec_\w{16,}|npm_\w{30,}|lin_api_\w{20,}|shp(?:at|ca|pa|ss)_\w{20,}|dop_v1_\w{20,}"
    r"|doo_v1_\w{20,}|pul-\w{20,}|sq0\w{3}-[\w-]{20,}|NRAK-\w{20,}|EAAC\w{20,}|key-[0-9a-f]{32}|secret_\w{30,}"
    r"|AGE-SECRET-KEY-1\w{20,}|sbp_\w{20,}|tvly-\w{16,}|gsk_\w{20,}|r8_\w{20,}|pplx-\w{20,}|xai-\w{20,})"
)
_HEADER = re.compile(r"\b(?:bearer|basic)\s+([\w.~+/=-]{12,})", re.IGNORECASE)
_IN_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,64}:([^\s/@]{3,128})@")
_NETRC = re.compile(r"\bmachine\s+\S{1,128}\s+login\s+\S{1,128}\s+password\s+(\S+)")
_NAME = (
    r"(?:pass(?:word|wd|phrase|code)?|pwd|passwort|kennwort|mot de passe|contraseña|secret|token|api[ _-]?key|apikey"
    r"|access[ _-]?key|private[ _-]?key|signing[ _-]?key|encryption[ _-]?key|master[ _-]?key|auth[ _-]?key"
    r"|client[ _-]?secret|credentials?|pin)"
)
_ASSIGNED = re.compile(
    rf"(?:\b|_|(?<=[a-z])){_NAME}[\"'`)\]]{{0,2}}(?:\s(?:of|for|to|on|at|from|für|vom|von|de)(?:\s\S{{1,40}}){{1,5}}?)?\s{{0,3}}(?::=|=>|==|=|:|\bis\b(?:\s(?:now|set\sto))?|\bist\b|\best\b|\bto\b|→)"
    rf"\s{{0,3}}([\"'`«“]?)([^\s\"'`»”,;]{{4,256}})",
    re.IGNORECASE,
)
_FLAG = re.compile(r"\s--?(?:password|passwd|pass|token|api-key|secret|access-key)[ =]([^\s-]\S{3,})")
_NON_LATIN = re.compile(r"(?:密码|密碼|口令|パスワード|비밀번호)(?:は|是|为|:|\uff1a|=|\s)+([!-~]{5,})")
_NO_VALUE = re.compile(
    r"""^(?:[<\[{(%$@&*#].*|.*[)>}\]]$|[*x.•_-]{3,}$|.*(?:example|changeme|your[_-]|placeholder|redacted|dummy|environ
    |getenv|secrets?\.|vault|process\.env|\.env|file|_path|keyring|encrypted|hidden|masked|rotat|expire).*
    |(?:none|null|nil|true|false|undefined|required|optional|string|str|bytes|int)\b.*|[~./\\].*|[a-z]:\\.*|https?:.*)""",
    re.IGNORECASE | re.VERBOSE,
)
_SHOWN = frozenset({"password", "passwd", "pass", "pwd", "secret", "user", "postgres", "root", "admin", "token"})
_WRITTEN = re.compile(r"[^\W\d_]+(?:[-'\u2019_.][^\W\d_]+)*[.!?:)]*")
_VERSION = re.compile(r"v?\d+(?:[.,:/-]\d+)*[.%a-z]{0,3}")


class _Detector(Protocol):
    def analyze_string(self, string: str) -> object: ...


def found(text: str) -> bool:
    """Whether anything in the text looks like a secret."""
    return _by_form(text) or _by_name(text) or any(_detected(line) for line in text.splitlines())


def _by_form(text: str) -> bool:
    if _PREFIXED.search(text) or ("-----BEGIN" in text and "PRIVATE KEY" in text):
        return True
    values = [*_HEADER.findall(text), *_NETRC.findall(text), *_FLAG.findall(text)]
    if any(map(_real, _IN_URL.findall(text))):
        return True
    return any(map(_made, values)) or any(map(_made, _NON_LATIN.findall(text)))


def _by_name(text: str) -> bool:
    return any(_made(value) or (quote and _quoted(value)) for quote, value in _ASSIGNED.findall(text))


def _made(value: str) -> bool:
    """Whether a value looks like one that a person or a program made up, and not like a word, a version or a name."""
    value = value.rstrip(".,;:!?")
    if len(value) < 4 or _NO_VALUE.match(value) or _WRITTEN.fullmatch(value) or _VERSION.fullmatch(value):
        return False
    kinds = (str.isdigit, str.isalpha, lambda sign: not sign.isalnum())
    return sum(any(map(kind, value)) for kind in kinds) > 1


def _real(value: str) -> bool:
    # Between the colon and the @ of a URL stands a password, be it a word, unless it only shows where one belongs.
    return value.casefold() not in _SHOWN and not _NO_VALUE.match(value)


def _quoted(value: str) -> bool:
    # In quotes a word is a value: "password: 'swordfish'".
    return len(value) >= 6 and not _NO_VALUE.match(value) and not value.endswith((".", ":"))


def _detected(line: str) -> bool:
    return any(next(iter(detector.analyze_string(line)), None) for detector in _detectors())  # type: ignore[call-overload]


@cache
def _detectors() -> tuple[_Detector, ...]:
    # Loaded with the first text: they bring libraries that a server at rest does not need.
    modules = ((import_module(f"detect_secrets.plugins.{module}"), name) for module, name in _DETECTORS)
    return tuple(getattr(module, name)() for module, name in modules)
