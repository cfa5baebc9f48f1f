#!/usr/bin/env bash
# Vim in tmux, keys typed and the screen read: run.sh SERVER CLIENT, which is ale or youcompleteme
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
# shellcheck source=../notes.sh
. "$here/../notes.sh" "$folder/notes"
export MEMORY_TEST_SERVER=$1 TMPDIR=$folder
client=$2
socket=memory-lsp-vim-$$
mux() { tmux -L "$socket" "$@"; }
mux -f /dev/null new-session -d -s s -x 110 -y 24 "cd $folder/notes && LANG=C.UTF-8 vim -u $here/$client.vim start.md"
screen() { mux capture-pane -p -t s; }
passed=0 failed=0
# shows NAME PATTERN [KEYS…]: keys are typed until the pattern is on the screen, for twenty seconds at most.
shows() {
  local name=$1 pattern=$2
  shift 2
  for attempt in $(seq 200); do
    # A server that is still starting answers nothing.
    [ $# -gt 0 ] && [ $((attempt % 20)) -eq 1 ] && mux send-keys -t s "$@"
    if screen | grep -q -- "$pattern"; then
      passed=$((passed + 1)); echo "ok vim, $client: $name"; return
    fi
    sleep 0.1
  done
  failed=$((failed + 1)); echo "not ok vim, $client: $name"; screen | tail -5
}
shows "note opened" "See \[\[target"
if [ "$client" = youcompleteme ]; then
  shows "diagnostic" "There is no note" ':YcmDiags' Enter
  mux send-keys -t s ':lclose' Enter
else
  mux send-keys -t s '8G'
  shows "diagnostic" "There is no note"
fi
shows "hover" "What the link leads to" '8G0' 'ftlll' 'K'
mux send-keys -t s ':pclose' Enter
shows "definition" "name: target" '8G0' 'ftlll' 'gd'
mux send-keys -t s ':qa!' Enter
# Vim ends the programs that it started.
for _ in $(seq 50); do mux has-session 2>/dev/null || break; sleep 0.1; done
mux kill-server 2>/dev/null
rm -rf "$folder"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
