# The service on the Node of its base: no compiler, no build, only what runs.
# glibc, as what the tests run on.
FROM node:26.10.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The optional packages are Node itself, which the base has.
RUN npm ci --omit=dev --omit=optional
COPY LICENSE openapi.yaml ./
COPY scripts/require-node.cjs scripts/
COPY src src/
RUN install --directory --owner=node --group=node node_modules/.cache /data
# Loads everything once, as a command loads only what it needs, and keeps what V8 has compiled: it is looked for by version and user, and no container has
# to write it. The files are for their owner only, who is root from here on.
USER node
RUN DATABASE_URL=sqlite:/tmp/plants.db node --max-semi-space-size=16 --require ./scripts/require-node.cjs --import ./src/commands/serve.ts src/main.ts migrate
USER root
RUN chmod --recursive a+rX node_modules/.cache

FROM node:26.10.0-bookworm-slim
LABEL org.opencontainers.image.title="plant-store" \
      org.opencontainers.image.description="A contract-first plant store over HTTP" \
      org.opencontainers.image.version="1.0.0" \
      org.opencontainers.image.licenses="MIT"
ENV HOST=0.0.0.0 \
    PORT=3000 \
    ADMIN_PORT=9464 \
    DATABASE_URL=sqlite:/data/plants.db
WORKDIR /app
# By root: engines differ in whether they keep the owner.
COPY --from=build --chown=root:root /app ./
COPY --from=build --chown=node:node /data /data
USER node
VOLUME /data
EXPOSE 3000
# Whether it lives, not whether its store answers: what acts on this replaces the container, which mends no database.
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.ADMIN_PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--disable-sigusr1", "--max-semi-space-size=16", "--require", "./scripts/require-node.cjs", "src/main.ts"]
CMD ["serve"]
