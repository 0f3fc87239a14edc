"""
What is a broker told that serves one machine, and must come back within seconds?

Settings only, each with the reason where its default would hurt; running it is kafka.py.
"""

from pathlib import Path

from horae.local.ports import LOOPBACK

SERVER = """\
process.roles=broker,controller
node.id=1
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAINTEXT

# The node is its own only replica.
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
default.replication.factor=1
min.insync.replicas=1

# Each partition costs files and start time; there are few groups and few producers.
offsets.topic.num.partitions=4
transaction.state.log.num.partitions=4
share.coordinator.state.topic.num.partitions=1
num.partitions=1
num.network.threads=2
num.io.threads=4
background.threads=2
num.recovery.threads.per.data.dir=2

# A misspelt topic is an error, not a new topic.
auto.create.topics.enable=false

# Groups form at once, and a member that died is noticed soon.
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
group.consumer.min.session.timeout.ms=1000
group.consumer.session.timeout.ms=3000
group.consumer.min.heartbeat.interval.ms=250
group.consumer.heartbeat.interval.ms=500

# An orphaned transaction holds up readers until it is cleaned away.
transaction.abort.timed.out.transaction.cleanup.interval.ms=1000

# A pause of this only node must not cost it its leaderships: nobody could take them over. How a
# session that was left by a kill is ended is FENCING below.
broker.session.timeout.ms=20000
broker.heartbeat.interval.ms=500

# Compaction with little memory: 16 MB remember some 700,000 keys a pass.
log.cleaner.enable=true
log.cleaner.threads=1
log.cleaner.dedupe.buffer.size=16777216
log.cleaner.io.buffer.size=524288
log.index.size.max.bytes=2097152
"""

FENCING = """\
process.roles=controller
node.id=1
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT
broker.session.timeout.ms=300
broker.heartbeat.interval.ms=100
"""
"""
The controller alone, for the moment after a kill in which it ends the session of the dead node.

Left to the next start, that session goes on for a while, and the new node leads what the old one
led; then it lapses, and nothing has a leader. Whatever transaction the coordinator is about to end
at that moment it calls ended, without a marker in any partition: they look deleted to it. Readers
of committed records would stand before it for ever.
"""

FENCED = "Fencing broker"

FENCING_LOGGING = """\
logger.fencing.name = org.apache.kafka.controller.ReplicationControlManager
logger.fencing.level = info
"""

LOGGING = """\
status = error
name = broker
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{yyyy-MM-dd'T'HH:mm:ss.SSS} %p %c{1}: %m%n
rootLogger.level = warn
rootLogger.appenderRef.out.ref = out
# The one line that says the broker is ready, and its counterpart at the end.
logger.server.name = kafka.server.KafkaRaftServer
logger.server.level = info
"""


def fencing(*, data: Path, controller_port: int) -> str:
    """The settings file of the controller alone."""
    return (
        f"{FENCING}\n"
        f"log.dirs={data}\n"
        f"listeners=CONTROLLER://{LOOPBACK}:{controller_port}\n"
        f"controller.quorum.voters=1@{LOOPBACK}:{controller_port}\n"
    )


def server(*, data: Path, port: int, controller_port: int) -> str:
    """The whole settings file."""
    return (
        f"{SERVER}\n"
        f"log.dirs={data}\n"
        f"listeners=PLAINTEXT://{LOOPBACK}:{port},CONTROLLER://{LOOPBACK}:{controller_port}\n"
        f"advertised.listeners=PLAINTEXT://{LOOPBACK}:{port}\n"
        f"controller.quorum.voters=1@{LOOPBACK}:{controller_port}\n"
    )
