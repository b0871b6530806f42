# Longterm as an image: the server, the worker and every command.
#   docker build -t longterm .
#   docker run --rm -v longterm:/data longterm keys create first
#   docker run -p 8765:8765 -v longterm:/data -e LONGTERM_LLM=… longterm
FROM python:3.12-slim AS build
WORKDIR /src
COPY requirements/runtime.txt requirements/
RUN python -m venv /opt/longterm \
 && /opt/longterm/bin/pip install --no-cache-dir --require-hashes -r requirements/runtime.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN /opt/longterm/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.12-slim
# Not root: the embedded PostgreSQL refuses to be.
RUN useradd --create-home --uid 10001 longterm && install -d -o longterm /data /data/journal
COPY --from=build /opt/longterm /opt/longterm
ENV PATH=/opt/longterm/bin:$PATH LONGTERM_DATA_DIR=/data LONGTERM_LOG_FORMAT=json
USER longterm
VOLUME /data
EXPOSE 8765
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8765/healthz')"]
# Loopback inside of a container is reached by nobody: give a key and `--host 0.0.0.0`.
ENTRYPOINT ["longterm"]
CMD ["serve", "--host", "0.0.0.0"]
