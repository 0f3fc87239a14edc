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

# After a kill the node waits for its own old session to lapse: 9 s by default.
broker.session.timeout.ms=2000
broker.heartbeat.interval.ms=500

# Compaction with little memory: 16 MB remember some 700,000 keys a pass.
log.cleaner.enable=true
log.cleaner.threads=1
log.cleaner.dedupe.buffer.size=16777216
log.cleaner.io.buffer.size=524288
log.index.size.max.bytes=2097152
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


def server(*, data: Path, port: int, controller_port: int) -> str:
    """The whole settings file."""
    return (
        f"{SERVER}\n"
        f"log.dirs={data}\n"
        f"listeners=PLAINTEXT://{LOOPBACK}:{port},CONTROLLER://{LOOPBACK}:{controller_port}\n"
        f"advertised.listeners=PLAINTEXT://{LOOPBACK}:{port}\n"
        f"controller.quorum.voters=1@{LOOPBACK}:{controller_port}\n"
    )
