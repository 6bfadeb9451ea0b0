#!/bin/sh
# Start what a container runs: `serve` is the server of the warehouse, in the foreground; everything
# else is a command of provhouse, such as `ingest FILE`.
#
# The server's token is the content of the file $SERVER_TOKEN_FILE, a secret of the container, if that file
# exists. Otherwise the server creates a token, or keeps the one that it has.
set -eu

fail() {
    echo "provhouse: $*" >&2
    exit 2
}

[ "${1:-serve}" = serve ] || exec provhouse "$@"
[ $# -le 1 ] || fail "serve takes no arguments, but got: $*"

warehouse=${PROVHOUSE_WAREHOUSE:?name the folder of the warehouse}
secret=${SERVER_TOKEN_FILE:-/run/secrets/provhouse_token}
log=$warehouse/logs/server.log

mkdir -p "$warehouse/logs" 2>/dev/null && [ -w "$warehouse" ] ||
    fail "Cannot write to $warehouse as the user $(id -u). Make it the folder's owner: chown -R $(id -u) FOLDER"

if [ -e "$secret" ]; then
    [ -r "$secret" ] || fail "Cannot read $secret as the user $(id -u). Make the file readable for that user."
    token=$(cat "$secret")
    case $token in
    *[!A-Za-z0-9_-]*) fail "The token in $secret has other characters than letters, digits, - and _." ;;
    esac
    [ ${#token} -ge 32 ] || fail "The token in $secret has fewer than 32 characters. Create a random one."
    (
        umask 077
        mkdir -p "$warehouse/server"
        printf %s "$token" >"$warehouse/server/token.new"
    )
    mv "$warehouse/server/token.new" "$warehouse/server/token"
fi

# The log goes on to the container's output. tail ends with the server, which takes over this process.
touch "$log"
tail --lines=0 --follow=name --retry --pid=$$ "$log" 2>/dev/null &
export PROVHOUSE_IDLE_MINUTES=0 # this server never ends because nothing is asked
exec python -m provhouse.serve
