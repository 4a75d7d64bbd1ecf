#!/bin/sh
# The database of a fleet with Debian's PostgreSQL, on the machine that this runs on as root. Workers elsewhere connect to it
# with the address that is printed. Run again, it changes nothing that is there.
#   sh debian.sh NETWORK    the workers' network, such as 10.1.0.0/16; default: this machine alone
set -eu
network=${1:-127.0.0.1/32}

apt-get install -y --no-install-recommends postgresql openssl
version=$(ls /etc/postgresql | sort -n | tail -n 1)
settings=/etc/postgresql/$version/main
service postgresql start

psql() { runuser -u postgres -- psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 "$@"; }

if [ "$(psql --command="select 1 from pg_roles where rolname = 'helve'")" != 1 ]; then
  password=$(openssl rand -hex 24)
  # Its own database, and no other right. The password is not an argument, which other users could see.
  printf "create role helve login password '%s';\n" "$password" | psql
  psql --command='create database helve owner helve'
  host=$(hostname --fqdn 2>/dev/null || hostname)
  echo "export HELVE_DATABASE=postgres://helve:$password@$host/helve"
fi

if [ "$network" != 127.0.0.1/32 ]; then
  # Connections from elsewhere are encrypted: hostssl refuses others.
  cat > "$settings/conf.d/helve.conf" <<CONF
listen_addresses = '*'
ssl = on
CONF
  grep -q "^hostssl helve helve $network" "$settings/pg_hba.conf" ||
    echo "hostssl helve helve $network scram-sha-256" >> "$settings/pg_hba.conf"
  service postgresql restart
fi
