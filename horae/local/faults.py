"""
Why can this machine not run Horae, in one sentence a person can act on?

* LocalFault
  + DataInUse            stop the other instance, or use another data folder
  + NotWritable          choose a data folder that may be written
  + NoRoom               free some disk
  + NotEnoughMemory      free some memory
  + PortTaken            free the port, or let one be chosen
  + RegistryUnreachable  connect once; later starts need no network
  + NotAsLocked          something on the way altered a file: do not run it
  + NoProgram            install what is missing
  + DidNotStart          read the log that is named
"""


class LocalFault(Exception):
    """The embedded stack cannot run here."""


class DataInUse(LocalFault):
    """Another instance runs on this data folder."""


class NotWritable(LocalFault):
    """The data folder cannot be written."""


class NoRoom(LocalFault):
    """The disk is full, or nearly."""


class NotEnoughMemory(LocalFault):
    """A broker and a database do not fit into what is free."""


class PortTaken(LocalFault):
    """Somebody else listens where we were told to."""


class RegistryUnreachable(LocalFault):
    """The broker's files cannot be fetched."""


class NotAsLocked(LocalFault):
    """A file is not the one that was locked."""


class NoProgram(LocalFault):
    """A program that should have come with the installation is missing."""


class DidNotStart(LocalFault):
    """A program ended, or stayed silent, before it was ready."""
