"""What is known of conversations that may be over, and what that knowledge is worth."""
