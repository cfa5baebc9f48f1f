#!/bin/bash
# The VS Code extension: its unit tests, its tests inside a real extension host, and a user's journey in a real VS Code.
# One line a check; the last line is "N passed, M failed". $MEMORY_LSP_SERVER names the server (default: memory-lsp of
# the PATH), $MEMORY_LSP_EDITORS_CACHE the folder that keeps what is installed (default .cache/editors), and
# $MEMORY_LSP_SHOTS a folder for screenshots. It takes at most eight minutes: what is not done by then is left out.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
client="$root/client-vscode"
mkdir -p "${MEMORY_LSP_EDITORS_CACHE:-$root/.cache/editors}"
MEMORY_LSP_EDITORS_CACHE=$(cd "${MEMORY_LSP_EDITORS_CACHE:-$root/.cache/editors}" && pwd)
export MEMORY_LSP_EDITORS_CACHE
cache=$MEMORY_LSP_EDITORS_CACHE
[ -n "${MEMORY_LSP_SHOTS:-}" ] && MEMORY_LSP_SHOTS=$(cd "$MEMORY_LSP_SHOTS" && pwd) && export MEMORY_LSP_SHOTS
server=${MEMORY_LSP_SERVER:-$(command -v memory-lsp)}
passed=0 failed=0

ok() { echo "ok vscode $1"; passed=$((passed + 1)); }
not_ok() { echo "not ok vscode $1"; failed=$((failed + 1)); }
left_out() { echo "left out: vscode $1, because $2"; }
left() { echo $((480 - SECONDS)); }
finish() { echo "$passed passed, $failed failed"; [ "$failed" -eq 0 ]; exit; }

have=$("$here/install.sh")
missing() { printf '%s\n' "$have" | sed -n "s/^missing $1: //p"; }
has() { printf '%s\n' "$have" | grep -qx "have $1"; }

if ! has node || ! has packages; then
  left_out "everything" "node or the extension's packages could not be had: $(missing npm)$(missing node)$(missing packages)"
  finish
fi
export PATH="$cache/node/node_modules/node/bin:$PATH"
cd "$client" || exit 2

if npm run --silent typecheck >"$cache/typecheck.log" 2>&1; then ok "types"; else not_ok "types: $(tail -n 1 "$cache/typecheck.log")"; fi
if npm run --silent test:unit >"$cache/unit.log" 2>&1; then
  ok "unit tests: $(sed -n 's/.*pass \([0-9]*\)$/\1/p' "$cache/unit.log" | tail -n 1)"
else
  not_ok "unit tests: $(grep -m 1 '^✖' "$cache/unit.log")"
fi
if npm run --silent package >"$cache/package.log" 2>&1 && npm run --silent bundle:host >>"$cache/package.log" 2>&1; then
  ok "the package: $(grep -o 'memory-lsp.vsix.*' "$cache/package.log" | tail -n 1)"
else
  not_ok "the package: $(tail -n 1 "$cache/package.log")"
  finish
fi

for need in chromium playwright workbench; do
  if ! has "$need"; then
    left_out "the journey and the tests in the extension host" "$need could not be had: $(missing "$need")"
    finish
  fi
done
if [ ! -x "$server" ]; then
  left_out "the journey and the tests in the extension host" "MEMORY_LSP_SERVER names no program"
  finish
fi

# suite NAME SECONDS COMMAND…: show a suite's lines and add up its last one.
suite() {
  local name=$1 most=$2 log="$cache/suite.log"
  shift 2
  if [ "$(left)" -lt 30 ]; then left_out "$name" "the eight minutes are over"; return; fi
  [ "$(left)" -lt "$most" ] && most=$(left)
  timeout --kill-after=10 "$most" "$@" >"$log" 2>&1
  local status=$?
  grep -E '^(ok|not ok|left out)' "$log"
  passed=$((passed + $(grep -c '^ok' "$log")))
  failed=$((failed + $(grep -c '^not ok' "$log")))
  if [ "$status" -ne 0 ] && ! grep -q '^not ok' "$log"; then not_ok "$name: it ended with status $status, $(tail -n 1 "$log" | cut -c 1-200)"; fi
}

suite "the tests in the extension host" 150 node "$here/exthost.mjs" "$server"
suite "the journey" 300 node "$here/drive.mjs" "$client/memory-lsp.vsix" "$server"
# Made anew each time, since it holds the sources.
if has wheels && rm -f "$cache"/wheels/memory_lsp-* && "$cache/tools/bin/pip" wheel -q --no-deps --no-build-isolation \
  --wheel-dir "$cache/wheels" "$root" >"$cache/wheel.log" 2>&1; then
  python=$("$cache/tools/bin/python" -c 'import sys; print(sys._base_executable)')
  suite "installing the server" 240 node "$here/installing.mjs" "$client/memory-lsp.vsix" "$cache/wheels" "$python" \
    "$cache/tools/bin/uv" "$cache/tools/bin/pipx"
else
  left_out "installing the server" "its wheels could not be had: $(missing wheels)$(tail -n 1 "$cache/wheel.log" 2>/dev/null)"
fi
finish
