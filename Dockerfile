# The service on the Node of its base image. The tests run on glibc too. CI names the same base by digest, as you can with
# --build-arg BASE=node@sha256:…: docs/containers.md says how to find it.
ARG BASE=node:26.10.0-bookworm-slim
FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/contract/package.json packages/contract/
COPY packages/trellis/package.json packages/trellis/
# The optional packages are Node itself, which the base has already. Of the workspaces, the service needs two: npm would
# link the others, also those that are missing here.
RUN npm ci --omit=dev --omit=optional --workspace packages/contract --workspace packages/trellis --include-workspace-root
COPY LICENSE openapi.yaml ./
COPY scripts/node scripts/plant-store scripts/require-node.cjs scripts/
COPY generated generated/
COPY packages/contract/src packages/contract/src/
COPY packages/trellis/src packages/trellis/src/
COPY src src/
RUN install --directory --owner=node --group=node node_modules/.cache
# Runs the service once to fill V8's compile cache, so that no container has to write it. Node looks the cache up by
# version and user, and its files are readable for their owner only: root makes them readable below. The ports differ
# from those of the image, which a service on the host may use during a build with the network of the host.
USER node
RUN export DATABASE_URL=sqlite:/tmp/plants.db PORT=19464 ADMIN_PORT=19465; \
  scripts/plant-store serve & until scripts/plant-store health; do kill -0 $! && sleep 0.1 || exit; done; kill $! && wait $!
USER root
RUN chmod --recursive a+rX node_modules/.cache
# `--build-arg COMMIT="$(git rev-parse HEAD)"` makes `--version` and the metrics name the commit.
ARG COMMIT
RUN test -z "$COMMIT" || echo "$COMMIT" > commit.txt

FROM ${BASE}
LABEL org.opencontainers.image.title="plant-store" \
      org.opencontainers.image.description="A contract-first plant store over HTTP" \
      org.opencontainers.image.version="1.2.0" \
      org.opencontainers.image.licenses="MIT"
# The admin listener is reachable through a published port, or in the engine's network. With `--network host` it listens
# on every interface of the host: set ADMIN_HOST=127.0.0.1.
ENV HOST=0.0.0.0 \
    PORT=3000 \
    ADMIN_HOST=0.0.0.0 \
    ADMIN_PORT=9464 \
    DATABASE_URL=sqlite:/data/plants.db
WORKDIR /app
# With --chown, because engines differ in whether COPY keeps the owner.
COPY --from=build --chown=root:root /app ./
# Group 0 may write the store too: OpenShift runs the image as a user of its own in that group.
RUN ln -s /app/scripts/plant-store /usr/local/bin/ && install --directory --owner=node --group=root --mode=0770 /data
USER node
VOLUME /data
EXPOSE 3000 9464
# Asks whether the process answers, not its store: a new container would not repair a database.
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s \
  CMD ["plant-store", "health"]
STOPSIGNAL SIGTERM
# The same flags as scripts/plant-store, without its shell: a first process without a signal handler loses signals.
ENTRYPOINT ["node", "--disable-sigusr1", "--max-semi-space-size=16", "--no-allocation-site-pretenuring", "--require", "/app/scripts/require-node.cjs", "--", "/app/src/main.ts"]
CMD ["serve"]
