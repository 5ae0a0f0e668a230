"""`python -m teltheory` is `teltheory`."""

from teltheory.cli import main

if __name__ == "__main__":
    main()
