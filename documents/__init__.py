"""What is done with the documents: the site made of them, what they print, and the commands they name."""
