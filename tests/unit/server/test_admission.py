"""Secrets and noise are refused, and what developers write every day is not.

The secrets are made when the test runs, so that none that looks real stands in this repository. Half of the templates
were set aside when the rules were made, and are counted by themselves.
"""

import base64
import json
import string
from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from memstack_server.domain.admission import admit, noise, refused
from memstack_server.domain.admission.refusal import Kind
from memstack_server.domain.errors import Refused

LETTERS = string.ascii_letters + string.digits


def token(random: Random, length: int, alphabet: str = LETTERS) -> str:
    return "".join(random.choice(alphabet) for _ in range(length - 1)) + "7"


def encoded(claims: dict[str, str]) -> str:
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")


def made(random: Random) -> dict[str, str]:
    """One of each kind of secret."""
    upper, hexadecimal = string.ascii_uppercase + string.digits, "0123456789abcdef"
    password = random.choice(["Winter", "tiger", "Qx", "hunter", "S3a"]) + token(random, 4) + random.choice("!$%x9")
    return {
        "password": f"the password is {password}",
        "passphrase": f"passphrase: {password}",
        "assignment": f"DB_PASSWORD={password}",
        "yaml": f"client_secret: '{token(random, 24)}'",
        "url": f"postgres://app:{token(random, 12)}@db.internal:5432/app",
        "redis url": f"redis://default:{token(random, 16)}@cache:6379/0",
        "bearer": f"Authorization: Bearer {token(random, 32)}",
        "api key": f"api_key = \"{token(random, 32)}\"",
        "github": f"ghp_{token(random, 36)}",
        "github fine": f"github_pat_{token(random, 40)}",
        "gitlab": f"glpat-{token(random, 20)}",
        "aws": f"AKIA{token(random, 16, upper)}",
        "aws secret": f"aws_secret_access_key = {token(random, 40)}",
        "google": f"AIza{token(random, 35)}",
        "slack": f"xoxb-{token(random, 12, string.digits)}-{token(random, 24)}",
        "openai": f"sk-proj-{token(random, 40)}",
        "anthropic": f"sk-ant-api03-{token(random, 60)}",
        "stripe": f"sk_live_{token(random, 24)}",
        "npm": f"npm_{token(random, 36)}",
        "hugging face": f"hf_{token(random, 34)}",
        "vault": f"hvs.{token(random, 24)}",
        "private key": "-----BEGIN OPENSSH PRIVATE KEY-----\n" + token(random, 60),
        "jwt": f"eyJhbGciOiJIUzI1NiJ9.{encoded({'sub': token(random, 12)})}.{token(random, 43)}",
        "netrc": f"machine git.internal login peter password {token(random, 12)}",
        "flag": f"mysql --password={token(random, 10)} -u root",
        "german": f"Das Passwort ist {password}",
        "chinese": f"密码是 {password}",
        "digitalocean": f"dop_v1_{token(random, 64, hexadecimal)}",
    }  # fmt: skip


SENTENCES = ("{}", "For the staging box: {}", "Peter told me this: {} (keep it)", "To deploy, use {}\nand restart.")
ASIDE = ("Remember that {}", "note to self, {} as of Tuesday", "config has {} in it")


def secrets(sentences: tuple[str, ...], seed: int) -> Iterator[str]:
    random = Random(seed)
    for sentence in sentences:
        for _ in range(3):
            yield from (sentence.format(secret) for secret in made(random).values())


SUBJECTS = ("The billing service", "Peter", "Our CI", "The parser", "mem-b", "Die Bibliothek", "数据库", "The gateway")
SAID = (
    "reads its settings from /etc/app/config.yaml.",
    "was fixed in commit 3f786850e387550fdab836ed7e6dc881de23001b.",
    "uses UUIDs such as 123e4567-e89b-12d3-a456-426614174000 for keys.",
    "expects the environment variable DB_PASSWORD to be set.",
    "stores the token in ~/.config/app/token with mode 0600.",
    "rotates its API key every 90 days.",
    "prefers tabs to spaces, width 4.",
    "runs Python 3.12.1 and Postgres 16.2.",
    "listens on port 8443 and logs to stderr.",
    "moved from Oslo to Bergen in March 2024.",
    "is allergic to penicillin.",
    "has password_file: /run/secrets/db in its chart.",
    "asks for a password when the keyring is locked.",
    "secret management is done by Vault.",
    "token budget is 2,500 per prompt.",
    "uses os.environ['API_KEY'] and never a literal.",
    "takes --password-file and refuses --password.",
    "ships sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.",
    "calls getUserById(id) before setToken(null).",
    "has a base64 icon: iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ.",
    "documents itself at https://docs.internal/howto?page=2#tokens.",
    "benutzt Leerzeichen statt Tabs und heißt jetzt Kern.",
    "在周二备份。日志在 /var/log。",
    "の設定は毎週変更されます。",
    "fails with ERR_CONN_REFUSED when the pin header is missing.",
    "keeps secrets out of the repository by pre-commit.",
    "decided against JWTs: opaque tokens are easier to revoke.",
    "sets secretKeyRef: {name: db, key: password} in the Deployment.",
    "renamed the key `user_name` to `login` in v2.",
    "needs passwordless sudo for the test user.",
    "closes the session after 15 minutes; the token is then invalid.",
    "treats an empty password as an error.",
    "must never print credentials to a log.",
    "builds with `make test` on two cores.",
    "will replace the secret store by Q3.",
    "is owned by the platform team since 2025-02-01.",
    "uses the Bearer scheme for authentication.",
    "has two keys: primary and secondary.",
    "was renamed from foo_bar-baz to foo.bar.",
    "passes tokens as `Authorization: Bearer <token>`.",
    "reads password from stdin: `read -s PASSWORD`.",
    "expects `password: ${DB_PASSWORD}` in compose files.",
    "uses token-based pagination with next_cursor.",
    "adopted the convention that tests are sentences.",
    "compares passwords in constant time.",
    "keeps the pin of the dependency at 1.4.x.",
    "has the secret named app-secret in namespace prod.",
    "merged PR #4573 after review.",
    "found that the key to speed is batching.",
    "has 64 GiB of memory and no GPU.",
    "documents DATABASE_URL=postgresql://user:password@localhost:5432/app as its default.",
)


def ordinary() -> list[str]:
    return [f"{subject} {said}" for subject, said in product(SUBJECTS, SAID)]


@pytest.mark.parametrize(("sentences", "seed"), [(SENTENCES, 1), (ASIDE, 2)], ids=["known", "set aside"])
def test_secrets_are_caught(sentences: tuple[str, ...], seed: int):
    texts = list(secrets(sentences, seed))
    missed = [text for text in texts if refused(text) is not Kind.SECRET]
    assert len(texts) >= 250
    assert len(missed) / len(texts) <= 0.05, missed


def test_what_developers_write_is_admitted():
    texts = ordinary()
    wrong = [(text, kind) for text in texts if (kind := refused(text))]
    assert len(texts) >= 400
    assert len(wrong) / len(texts) <= 0.03, wrong


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("You are Claude Code, Anthropic's CLI. Follow the rules below.", Kind.PROMPT),
        ("You are a helpful assistant that remembers.", Kind.PROMPT),
        (f"<{noise.INJECTED}>Peter likes tea.", Kind.INJECTED),
        ("total 48\ndrwxr-xr-x 2 root root 4096 .\n-rw-r--r-- 1 root root 12 x", Kind.TOOL_OUTPUT),
        ("tests/a.py::test_x PASSED\ntests/a.py::test_y FAILED\n= 1 failed in 2s =", Kind.TOOL_OUTPUT),
        ('{"name": "x", "version": "1", "private": true, "type": "module"}', Kind.TOOL_OUTPUT),
        ("\x1b[31merror\x1b[0m", Kind.TOOL_OUTPUT),
        ("HEARTBEAT_OK", Kind.HEARTBEAT),
        ("still running", Kind.HEARTBEAT),
        ("It is 14:03", Kind.TRANSIENT),
        ("2026-11-30T10:00:00Z", Kind.TRANSIENT),
        ("Currently running the tests for the parser.", Kind.TRANSIENT),
        ("User is John Doe, a software engineer at Acme Corp.", Kind.INVENTED),
    ],
)
def test_noise_is_refused_by_its_kind(text: str, kind: Kind):
    with pytest.raises(Refused, match=r"was not stored: ") as refusal:
        admit(text)
    assert refusal.value.kind == kind


def test_a_refusal_does_not_repeat_the_secret():
    secret = token(Random(3), 30)
    with pytest.raises(Refused) as refusal:
        admit(f"api_key: '{secret}'")
    assert secret not in str(refusal.value)
