#!/usr/bin/env bash
# Vim with ALE in tmux, keys typed and the screen read: run.sh SERVER
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
# shellcheck source=../notes.sh
. "$here/../notes.sh" "$folder/notes"
export MEMORY_TEST_SERVER=$1
socket=memory-lsp-vim-$$
mux() { tmux -L "$socket" "$@"; }
mux -f /dev/null new-session -d -s s -x 110 -y 24 "cd $folder/notes && LANG=C.UTF-8 vim -u $here/vimrc start.md"
screen() { mux capture-pane -p -t s; }
passed=0 failed=0
shows() { # shows NAME PATTERN
  for _ in $(seq 200); do
    if screen | grep -q -- "$2"; then
      passed=$((passed + 1)); echo "ok vim: $1"; return
    fi
    sleep 0.1
  done
  failed=$((failed + 1)); echo "not ok vim: $1"; screen | tail -5
}
shows "note opened" "See \[\[target"
mux send-keys -t s '8G'
shows "diagnostic" "There is no note"
mux send-keys -t s '8G0' 'ftlll' 'K'
shows "hover" "What the link leads to"
mux send-keys -t s ':pclose' Enter '8G0' 'ftlll' 'gd'
shows "definition" "name: target"
mux send-keys -t s ':qa!' Enter
mux kill-server 2>/dev/null
rm -rf "$folder"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
