# Replaces the base images of the Dockerfile and of compose.yaml on a machine without a registry: by Debian's packages,
# and by the Node, npm and PostgreSQL that npm has installed.
FROM scratch AS debian
ADD debian.tar /
RUN cp /usr/share/base-passwd/passwd.master /etc/passwd && cp /usr/share/base-passwd/group.master /etc/group

FROM debian AS systemd
RUN install --directory /usr/local/bin /var/backups
CMD ["/lib/systemd/systemd"]

FROM debian AS node
COPY node /usr/local/bin/
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && groupadd --gid 1000 node && useradd --uid 1000 --gid 1000 --create-home node

FROM debian AS nginx

# As the image of PostgreSQL does it: the user, its password and its database are made when the volume is empty.
FROM debian AS postgres
COPY postgres /usr/local/
RUN groupadd postgres && useradd --gid postgres postgres \
  && install --directory --owner=postgres /var/lib/postgresql
STOPSIGNAL SIGINT
USER postgres
WORKDIR /var/lib/postgresql
ENTRYPOINT ["sh", "-ec", "\
  if [ ! -d data ]; then \
    initdb --pgdata=data --username=$POSTGRES_USER --pwfile=$POSTGRES_PASSWORD_FILE --auth=scram-sha-256 --encoding=UTF8 --locale=C; \
    echo 'host all all all scram-sha-256' >> data/pg_hba.conf; \
    echo \"create database $POSTGRES_DB\" | postgres --single -D data postgres; \
  fi; \
  exec postgres -D data -h '*'"]
