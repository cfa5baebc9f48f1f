#!/usr/bin/env bash
# Real Neovims against the real server: run.sh SERVER NVIM...
set -u
here=$(cd "$(dirname "$0")" && pwd)
server=$1
shift
status=0
for nvim in "$@"; do
  folder=$(mktemp -d)
  # shellcheck source=../notes.sh
  . "$here/../notes.sh" "$folder/notes"
  # A plugin manager makes the tags of the help; the checkout stays as it is.
  cp -r "$here/../../../client-nvim" "$folder/plugin"
  cat >"$folder/init.lua" <<LUA
vim.opt.swapfile = false
vim.opt.runtimepath:prepend('$folder/plugin')
vim.cmd('helptags $folder/plugin/doc')
vim.cmd('filetype on')
local options = { embedding = { backend = 'none' }, links = { languages = { 'python' } } }
if vim.fn.has('nvim-0.11') == 1 then
  vim.lsp.config('memory_lsp', { cmd = { '$server', '--stdio' }, init_options = options })
  vim.lsp.enable('memory_lsp')
else
  require('memory_lsp').setup({ cmd = { '$server', '--stdio' }, init_options = options })
end
LUA
  (
    cd "$folder/notes" || exit 1
    export XDG_STATE_HOME=$folder/s XDG_DATA_HOME=$folder/d XDG_CACHE_HOME=$folder/c XDG_CONFIG_HOME=$folder/x
    # Its messages go to standard error, without an end of line, and would run into the lines of the checks.
    timeout 90 "$nvim" --headless -u "$folder/init.lua" start.md -c "luafile $here/check.lua" 2>"$folder/err"
  ) || { status=1; tail -25 "$folder/err"; }
  rm -rf "$folder"
done
exit $status
