# Strata for one person or one team behind a proxy, on a processor alone:
#
#     docker build --tag strata .
#     docker run --publish 127.0.0.1:8501:8501 --volume strata:/data strata
#
# compose.yaml does both. With an NVIDIA card (and its container toolkit on the host), a torch
# that brings CUDA:
#
#     docker build --build-arg TORCH_INDEX=https://pypi.org/simple --tag strata:cuda .
#     docker run --gpus all …

FROM python:3.11-slim-bookworm AS environment

ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1
WORKDIR /build
RUN python -m venv /opt/strata
COPY requirements.txt requirements.lock ./
# Every package is held to its hash; `make lock` writes the file. Torch alone is held to its version:
# each of its indexes (processor, CUDA) has wheels of its own under that version. What it needs is
# locked and there already, but for the libraries of CUDA.
RUN /opt/strata/bin/pip install --require-hashes --requirement requirements.lock \
    && torch="$(grep '^torch==' requirements.txt)" \
    && /opt/strata/bin/pip install --index-url "$TORCH_INDEX" "$torch"
# What a database on a server needs: compose names the driver of PostgreSQL for its profile `team`.
ARG DATABASE_DRIVER=""
RUN if [ -n "$DATABASE_DRIVER" ]; then /opt/strata/bin/pip install "$DATABASE_DRIVER"; fi


FROM python:3.11-slim-bookworm

LABEL org.opencontainers.image.title="Strata" \
    org.opencontainers.image.version="1.0.0" \
    org.opencontainers.image.licenses="Apache-2.0"
RUN useradd --uid 10001 --create-home --home-dir /home/strata --shell /usr/sbin/nologin strata \
    && install --directory --owner=strata --group=strata --mode=700 /data
COPY --from=environment /opt/strata /opt/strata
WORKDIR /app
COPY LICENSE streamlit_app.py ./
COPY .streamlit .streamlit
COPY assets assets
COPY core core
COPY pages pages
COPY training training
RUN /opt/strata/bin/python -m compileall -q core pages streamlit_app.py
# EuroVoc and ICD-10-CM as they are served, so that the first document does not wait for them.
RUN STRATA_HOME=/app/prepared /opt/strata/bin/python -m core search law > /dev/null \
    && STRATA_HOME=/app/prepared /opt/strata/bin/python -m core vocabulary icd10cm --import > /dev/null \
    && chmod -R a+rX /app/prepared

# The allocator's four settings are those of the Makefile, where the reason stands.
ENV HF_HUB_OFFLINE=1 \
    MALLOC_ARENA_MAX=1 \
    MALLOC_MMAP_THRESHOLD_=4294967296 \
    MALLOC_TOP_PAD_=268435456 \
    MALLOC_TRIM_THRESHOLD_=8589934592 \
    PATH=/opt/strata/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    STRATA_HOME=/data \
    STRATA_MAKE_ACCESS_KEY=1

USER 10001:10001
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["python", "-c", "import os; from pathlib import Path; from urllib.request import Request, urlopen; key = os.environ.get('STRATA_ACCESS_KEY') or Path(os.environ['STRATA_HOME'], 'access-key').read_text().strip(); urlopen(Request('http://localhost:8501/_stcore/health', headers={'Authorization': 'Bearer ' + key}), timeout=8)"]

# 0.0.0.0 is the container's own network; --publish says from where it is reached. Everybody needs
# the access key, which the first start makes, prints and keeps in /data/access-key. Names other
# than localhost are refused until STREAMLIT_SERVER_ALLOWED_HOSTS lists them, with blanks between.
CMD ["python", "-m", "streamlit", "run", "streamlit_app.py", "--server.address=0.0.0.0", "--server.port=8501"]
