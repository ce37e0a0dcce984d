import sys

from memstack.cli import main

sys.exit(main())
