#!/usr/bin/env bash
# Behind `./dev run`: the built server on embedded SQLite with a small demo.
#
# Starts `escapement serve --allow-exec --print-runs`, adds the demo's jobs at the first start,
# prints commands to try, and stays until Ctrl-C. A second start goes on where the first stopped.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
binary=${ESCAPEMENT_BINARY:-$top/build/release/bin/escapement}
data=${ESCAPEMENT_DATA:-$top/escapement-data}
listen=${ESCAPEMENT_LISTEN:-127.0.0.1:7070}

if [ "${1:-}" = --help ] || [ "${1:-}" = -h ]; then
  sed -n '2,5s/^# \{0,1\}//p' "$0"
  echo "Environment: ESCAPEMENT_DATA (folder), ESCAPEMENT_LISTEN (host:port)."
  exit 0
fi

rm -f "$data/address"
"$binary" serve --allow-exec --print-runs --data "$data" --listen "$listen" "$@" &
server=$!
# Ctrl-C reaches the whole process group; this script only waits for the server to end.
trap : INT
trap 'kill -TERM "$server" 2>/dev/null || true' TERM HUP

# The server writes its address when it listens.
until [ -s "$data/address" ]; do
  if ! kill -0 "$server" 2>/dev/null; then
    status=0
    wait "$server" || status=$?
    exit "$status"
  fi
  sleep 0.05
done

cli() { "$binary" "$@" --data "$data"; }

add() {  # add NAME OPTIONS...: keeps a job that is there already
  cli job show "$1" >/dev/null 2>&1 || "$binary" job add "$1" --data "$data" "${@:2}" >/dev/null
}

add heartbeat --every 500ms --description "twice a second" --exec -- /bin/true
add ticker --every 2s --description "every two seconds" --exec -- /bin/echo tick
add breather --fixed-delay 1500ms --description "1.5 s after its last end" --exec -- /bin/sleep 0.2
if [ ! -e "$data/demo-imported" ]; then
  cli job import "$top/apps/demo/demo.crontab" --yes >/dev/null && touch "$data/demo-imported"
fi

cat <<TEXT

  Escapement runs at $(cat "$data/address"), data in $data. Ctrl-C stops it; kill -9 does not hurt it.
  Try in another terminal:

    $binary job list --data $data
    $binary timer add order-17 --in 10s --exec --data $data -- /bin/echo "cancel the unpaid order"
    $binary run list --limit 10 --data $data

TEXT

status=0
while kill -0 "$server" 2>/dev/null; do
  status=0
  wait "$server" || status=$?
done
exit "$status"
