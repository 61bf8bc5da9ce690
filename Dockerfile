# The service on the Node of its base: no compiler, no build, only what runs.
# glibc, as what the tests run on. CI names the same base by its digest.
ARG BASE=node:26.10.0-bookworm-slim
FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The optional packages are Node itself, which the base has.
RUN npm ci --omit=dev --omit=optional
COPY LICENSE openapi.yaml ./
COPY scripts/node scripts/plant-store scripts/require-node.cjs scripts/
COPY generated/openapi.sha256 generated/
COPY docs/clients.md docs/
COPY src src/
RUN install --directory --owner=node --group=node node_modules/.cache /data
# Runs the service once, and keeps what V8 has compiled: it is looked for by version and user, and no container has to
# write it. The files are for their owner only, who is root from here on. `health` has to know the ports.
# In a build with the network of the host, a service may have those of the image: these are seldom used.
USER node
RUN export DATABASE_URL=sqlite:/tmp/plants.db PORT=19464 ADMIN_PORT=19465; \
  scripts/plant-store serve & until scripts/plant-store health; do kill -0 $! && sleep 0.1 || exit; done; kill $! && wait $!
USER root
RUN chmod --recursive a+rX node_modules/.cache

FROM ${BASE}
LABEL org.opencontainers.image.title="plant-store" \
      org.opencontainers.image.description="A contract-first plant store over HTTP" \
      org.opencontainers.image.version="1.0.0" \
      org.opencontainers.image.licenses="MIT"
# The admin listener is reached from outside the container only where its port is published, or by the engine's network.
# With `--network host` it is on every interface of the host, and ADMIN_HOST=127.0.0.1 is needed.
ENV HOST=0.0.0.0 \
    PORT=3000 \
    ADMIN_HOST=0.0.0.0 \
    ADMIN_PORT=9464 \
    DATABASE_URL=sqlite:/data/plants.db
WORKDIR /app
# By root: engines differ in whether they keep the owner.
COPY --from=build --chown=root:root /app ./
COPY --from=build --chown=node:node /data /data
RUN ln -s /app/scripts/plant-store /usr/local/bin/
USER node
VOLUME /data
EXPOSE 3000 9464
# Whether it lives, not whether its store answers: what acts on this replaces the container, which mends no database.
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s \
  CMD ["plant-store", "health"]
STOPSIGNAL SIGTERM
# As scripts/plant-store does it, but at once: a first process that has no handler yet loses a signal.
ENTRYPOINT ["node", "--disable-sigusr1", "--max-semi-space-size=16", "--require", "/app/scripts/require-node.cjs", "--", "/app/src/main.ts"]
CMD ["serve"]
