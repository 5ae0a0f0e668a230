"""What a release rests on: the wheel outside the repository, and other Pythons."""
