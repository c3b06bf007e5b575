"""`python -m tophit` is the command `tophit`."""

from tophit.cli import main

if __name__ == "__main__":
    main()
