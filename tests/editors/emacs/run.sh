#!/usr/bin/env bash
# Emacs against the real server: run.sh SERVER CLIENT, which is eglot or lsp-mode
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
# shellcheck source=../notes.sh
. "$here/../notes.sh" "$folder/notes"
export MEMORY_TEST_SERVER=$1 MEMORY_TEST_FOLDER=$folder/notes HOME=$folder
mkdir -p "$folder/home"
HOME=$folder/home timeout 120 emacs -q --batch -l "$here/check-$2.el" 2>"$folder/err"
status=$?
[ $status -eq 0 ] || tail -25 "$folder/err"
rm -rf "$folder"
exit $status
