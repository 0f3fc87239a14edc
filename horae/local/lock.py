"""
Which files make a broker, to the byte?

Resolves the broker with all it needs at Maven Central and writes the lock anew:
`python -m horae.local.lock`. A start only ever reads the lock.
"""

import sys
import tempfile
from pathlib import Path

from horae.local.jars import LOCK, digest, trusting_the_system

# Without the exclamation mark the logging library's own wishes win, and they are for a
# kafka-clients of years ago.
ENDPOINT = "org.apache.kafka:kafka_2.13:4.4.0+org.apache.logging.log4j:log4j-slf4j-impl:2.25.5!"


def resolve(scratch: Path) -> list[str]:
    """One line a file, sorted, so that a new lock shows as a small difference."""
    from jgo.env import EnvironmentBuilder, LinkStrategy  # noqa: PLC0415 - slow to import
    from jgo.maven import MavenContext  # noqa: PLC0415 - as above

    context = MavenContext(repo_cache=scratch / "m2", local_repos=[], timeout=30)
    builder = EnvironmentBuilder(
        context=context, cache_dir=scratch / "cache", link_strategy=LinkStrategy.HARD
    )
    environment = builder.from_endpoint(ENDPOINT)
    # Both of jgo's folders: the broker has no modules, only a class path.
    files = {path.name: digest(path) for path in environment.all_jars}
    resolved = environment.lockfile.dependencies if environment.lockfile else []
    lines = []
    for needed in resolved:
        sha256 = files.pop(f"{needed.artifactId}-{needed.version}.jar")
        lines.append(f"{needed.groupId}:{needed.artifactId}:{needed.version} sha256:{sha256}")
    if files:
        msg = f"resolved without coordinates: {sorted(files)}"
        raise ValueError(msg)
    return sorted(lines)


def main() -> None:
    """Write the lock."""
    with tempfile.TemporaryDirectory() as scratch, trusting_the_system():
        lines = resolve(Path(scratch))
    LOCK.write_text("\n".join(["# made by `make lock`", *lines, ""]))
    sys.stdout.write(f"{len(lines)} files locked\n")


if __name__ == "__main__":
    main()
