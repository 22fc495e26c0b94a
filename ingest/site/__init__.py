"""What is made of the built site."""
