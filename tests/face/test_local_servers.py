"""Does the embedded broker, and the embedded database, keep what it was given?"""

import time
from pathlib import Path

import psutil
import psycopg
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from horae.local.kafka import Broker
from horae.local.postgres import Postgres

pytestmark = pytest.mark.broker


def test_what_was_acknowledged_survives_a_power_cut(broker: Broker) -> None:
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    admin.create_topics([NewTopic("survivor", 1, 1)])["survivor"].result(10)
    producer = Producer({"bootstrap.servers": broker.bootstrap, "acks": "all"})
    producer.produce("survivor", b"kept")
    assert producer.flush(10) == 0
    before = broker.pid

    broker.kill()
    began = time.monotonic()
    broker.start()

    assert time.monotonic() - began < 60  # a broker that waits for old sessions takes longer
    assert broker.pid != before
    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "test-survivor"})
    consumer.assign([TopicPartition("survivor", 0, 0)])
    message = consumer.poll(10)
    consumer.close()
    assert message is not None
    assert message.value() == b"kept"


def test_a_misspelt_topic_is_not_created(broker: Broker) -> None:
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})

    producer = Producer({"bootstrap.servers": broker.bootstrap, "message.timeout.ms": 500})
    producer.produce("misspelt", b"lost")
    producer.flush(3)

    assert "misspelt" not in admin.list_topics(timeout=10).topics


def test_the_broker_is_heard_on_the_loopback_only(broker: Broker) -> None:
    heard = [c for c in psutil.Process(broker.pid).net_connections() if c.status == "LISTEN"]

    assert heard
    assert {connection.laddr.ip.removeprefix("::ffff:") for connection in heard} == {"127.0.0.1"}
    assert all(connection.laddr.port < 32768 for connection in heard)


def test_the_database_speaks_utc_and_asks_for_the_password(postgres: Postgres) -> None:
    with psycopg.connect(postgres.dsn) as connection:
        assert connection.execute("SHOW timezone").fetchone() == ("UTC",)

    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(postgres.dsn.replace(postgres.password, "guessed"))


def test_what_was_committed_survives_a_restart_of_the_database(postgres: Postgres) -> None:
    with psycopg.connect(postgres.dsn) as connection:
        connection.execute("CREATE TABLE kept (word text)")
        connection.execute("INSERT INTO kept VALUES ('kept')")

    postgres.stop()
    postgres.start()

    with psycopg.connect(postgres.dsn) as connection:
        assert connection.execute("SELECT word FROM kept").fetchone() == ("kept",)
        connection.execute("DROP TABLE kept")


def test_the_database_never_runs_as_root(postgres: Postgres) -> None:
    assert psutil.Process(postgres.pid).uids().effective != 0


def test_a_second_start_of_a_running_server_changes_nothing(
    broker: Broker, postgres: Postgres, stack_dir: Path
) -> None:
    before = (broker.pid, postgres.pid)

    broker.start()
    postgres.start()

    assert (broker.pid, postgres.pid) == before
    assert (stack_dir / "logs" / "kafka.log").is_file()
