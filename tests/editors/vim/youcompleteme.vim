set nocompatible noswapfile nomore
filetype plugin on
" ycmd is a package of Debian's Python; another one may come first on the PATH.
let g:ycm_server_python_interpreter = '/usr/bin/python3'
let g:ycm_filetype_blacklist = {}
let g:ycm_language_server = [{
\   'name': 'memory-lsp',
\   'cmdline': [$MEMORY_TEST_SERVER, '--stdio'],
\   'filetypes': ['markdown'],
\   'project_root_files': ['MEMORY.md'],
\}]
packadd youcompleteme
nnoremap K :YcmCompleter GetHover<CR>
nnoremap gd :YcmCompleter GoToDefinition<CR>
