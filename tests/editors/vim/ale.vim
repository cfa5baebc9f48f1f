set nocompatible noswapfile nomore
filetype plugin on
let g:ale_linters_explicit = 1
let g:ale_linters = {'markdown': ['memory']}
let g:ale_hover_to_preview = 1
let g:ale_lint_delay = 50
let g:ale_floating_preview = 0
let g:ale_virtualtext_cursor = 0
packadd ale
call ale#linter#Define('markdown', {
\   'name': 'memory',
\   'lsp': 'stdio',
\   'executable': $MEMORY_TEST_SERVER,
\   'command': '%e --stdio',
\   'project_root': {b -> expand('#' . b . ':p:h')},
\   'initialization_options': {'embedding': {'backend': 'none'}},
\   'language': 'markdown',
\})
nnoremap K :ALEHover<CR>
nnoremap gd :ALEGoToDefinition<CR>
