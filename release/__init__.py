"""What a release rests on: the wheel outside the repository, other Pythons, and runs that repeat byte for byte."""
