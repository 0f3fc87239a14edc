"""The messages: what is said over Kafka, and in which bytes."""
