"""What the claims rest on: inductions, exchanges and identities, and the terms in which they are written."""
