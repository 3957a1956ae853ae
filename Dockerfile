# One image for all processes of a team: dispatcher, workers, and Prefect's server with the broker of prefect-redis.
FROM python:3.12-slim-bookworm
RUN apt-get update \
 && apt-get install -y --no-install-recommends git openssh-client sshpass tini \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/clusterwright
COPY requirements-team.lock pyproject.toml README.md LICENSE ./
COPY schedule schedule
COPY steps steps
COPY ledger ledger
COPY flows flows
COPY playbooks playbooks
COPY tui tui
COPY clusterwright clusterwright
RUN pip install --no-cache-dir --require-hashes -r requirements-team.lock \
 && pip install --no-cache-dir --no-deps . \
 && useradd --create-home --uid 1000 clusterwright \
 && install -d -o clusterwright -g clusterwright /exchange /worker /site /home/clusterwright/.local /home/clusterwright/.local/state
USER clusterwright
ENTRYPOINT ["tini", "--"]
CMD ["clusterwright", "--help"]
