"""`python -m memstack_operator.local FILE --data DIR --port N`: what `memstack up` runs."""

import argparse
import sys
from pathlib import Path

from memstack_operator.local.errors import AlreadySaidError, LocalError
from memstack_operator.local.file import load
from memstack_operator.local.runner import Options, up


def main() -> int:
    parser = argparse.ArgumentParser(prog="memstack up")
    parser.add_argument("file", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--gateway-key-file", type=Path)
    arguments = parser.parse_args()
    try:
        up(load(arguments.file), Options(arguments.data, arguments.port, arguments.gateway_key_file))
    except (LocalError, OSError) as error:  # a full disk, say, explains itself
        print(f"memstack up: {error}", file=sys.stderr)
        return 1
    except AlreadySaidError:
        return 1
    except KeyboardInterrupt:
        print("Ended; what was stored stays.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
