"""What can be tried: definitions to define, and a service for them to call."""
