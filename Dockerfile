# One image, three commands: server, operator, tools.
ARG BASE=docker.io/library/python:3.12-slim-bookworm

# Every package, each with its hash: a layer that only a change of the lock rebuilds.
FROM ${BASE} AS dependencies
RUN python3 -m venv /opt/pip && python3 -m venv --without-pip /opt/venv
COPY requirements/image.txt /tmp/
RUN /opt/pip/bin/pip --python /opt/venv/bin/python install --no-cache-dir --no-compile --require-hashes -r /tmp/image.txt

# This project, as the few files that it adds to the packages.
FROM dependencies AS project
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY client client
COPY server server
COPY operator operator
RUN /opt/venv/bin/python -m hatchling build --target wheel --directory /dist \
    && /opt/pip/bin/pip --python /opt/venv/bin/python install --no-cache-dir --no-compile --no-deps --root /project /dist/*.whl \
    && /opt/venv/bin/python -m compileall -q --invalidation-mode unchecked-hash -s /project /project/opt/venv/lib

# What runs: no pip, no build tools, and bytecode made now, for the root file system is read-only later.
# kopf asks for its user's name, and a number alone has none.
FROM dependencies AS packages
RUN /opt/pip/bin/pip --python /opt/venv/bin/python uninstall --yes editables hatchling pathspec pluggy tomlkit trove-classifiers \
    && rm -rf /opt/pip /tmp/image.txt \
    && /opt/venv/bin/python -m compileall -q --invalidation-mode unchecked-hash /opt/venv/lib \
    && ln -s memstack-server /opt/venv/bin/server \
    && ln -s memstack-operator /opt/venv/bin/operator \
    && ln -s memstack /opt/venv/bin/tools \
    && echo 'nonroot:x:65532:65532::/tmp:/usr/sbin/nologin' >> /etc/passwd

# A change of code ends here: one layer of a few files.
FROM packages
ENV PATH=/opt/venv/bin:$PATH HOME=/tmp PYTHONUNBUFFERED=1
COPY --from=project /project/ /
USER 65532:65532
EXPOSE 8420
