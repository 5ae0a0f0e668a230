"""What commands are asked: options that several share, and what they mean together."""
