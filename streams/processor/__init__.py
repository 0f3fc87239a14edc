"""The partitioned processor: reads the inbox, decides, and commits one transaction a batch."""
