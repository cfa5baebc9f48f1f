-- The journey of a person through a memory, in a real Neovim (0.7 and up). One line a check.
local passed, failed = 0, 0
local function ok(name, condition, extra)
  if condition then passed = passed + 1 else failed = failed + 1 end
  local more = extra and ('  # ' .. tostring(extra):gsub('\n', ' ')) or ''
  io.stdout:write((condition and 'ok ' or 'not ok ') .. 'nvim ' .. tostring(vim.version().major) .. '.' .. vim.version().minor .. ': ' .. name .. more .. '\n')
end

local memory = require('memory_lsp')
local new = vim.fn.has('nvim-0.11') == 1
local buffer = vim.api.nvim_get_current_buf()

local function the_client()
  for _, client in pairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
    if client.name == 'memory_lsp' and client.initialized then return client end
  end
end

local function ask(method, params, buf)
  local client = the_client()
  if new then return client:request_sync(method, params, 10000, buf or buffer) end
  return client.request_sync(method, params, 10000, buf or buffer)
end

local function at(line, column)
  vim.api.nvim_win_set_cursor(0, { line, column })
  if new then return vim.lsp.util.make_position_params(0, the_client().offset_encoding) end
  return vim.lsp.util.make_position_params()
end

local function find(text)
  for n, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local column = line:find(text, 1, true)
    if column then return n, column - 1 end
  end
end

local function wait(condition) return vim.wait(60000, condition, 50) end

local function run()
  ok('attached', (wait(function() return the_client() ~= nil end)))
  ok('position encoding', the_client().offset_encoding == (new and 'utf-8' or 'utf-16'), the_client().offset_encoding)
  wait(function() return #vim.diagnostic.get(buffer) > 0 end)
  local found
  for _, item in ipairs(vim.diagnostic.get(buffer)) do
    if item.code == 'dangling-link' then found = item end
  end
  ok('diagnostic', found ~= nil, found and found.message)

  local line, column = find('[[target')
  local answer = ask('textDocument/hover', at(line, column + 3))
  local text = answer and answer.result and answer.result.contents.value or ''
  ok('hover behind an emoji', text:find('What the link leads to', 1, true) ~= nil)

  vim.lsp.buf.definition()
  wait(function() return vim.api.nvim_buf_get_name(0):match('target%.md$') end)
  ok('definition', vim.api.nvim_buf_get_name(0):match('target%.md$') ~= nil)
  vim.cmd('buffer ' .. buffer)

  vim.cmd('edit code.py')
  local code = vim.api.nvim_get_current_buf()
  wait(function() return #vim.diagnostic.get(code) > 0 end)
  local items = vim.diagnostic.get(code)
  ok('a dangling link in a comment of code', #items == 1 and items[1].lnum == 1 and items[1].code == 'dangling-link')
  vim.api.nvim_win_set_cursor(0, { 2, 10 })
  vim.lsp.buf.definition()
  wait(function() return vim.api.nvim_buf_get_name(0):match('target%.md$') end)
  ok('definition of a link in a comment of code', vim.api.nvim_buf_get_name(0):match('target%.md$') ~= nil)
  vim.cmd('buffer ' .. buffer)

  vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { 'More: [[tar' })
  line, column = find('[[tar')
  local last = vim.api.nvim_buf_line_count(buffer)
  local completion = ask('textDocument/completion', at(last, #'More: [[tar'))
  local labels = {}
  for _, item in ipairs(completion.result.items) do labels[item.label] = item end
  ok('completion', labels.target ~= nil and labels.target.textEdit.newText == 'target]]')
  vim.api.nvim_buf_set_lines(buffer, -2, -1, false, {})

  line, column = find('[[target')
  local params = at(line, column + 3)
  params.newName = 'renamed'
  local edit = ask('textDocument/rename', params)
  vim.lsp.util.apply_workspace_edit(edit.result, the_client().offset_encoding)
  ok('rename edits this note', find('[[renamed]]') ~= nil)
  ok('rename moves the file', vim.fn.filereadable('renamed.md') == 1 or vim.fn.bufnr('renamed.md') > 0)
  vim.cmd('silent! wall')
  vim.cmd('buffer ' .. buffer)

  local best
  wait(function()
    best = ask('memory/retrieve', { query = 'what does the link lead to' }).result.results[1]
    return best and best.name == 'renamed'
  end)
  ok('memory/retrieve', best and best.name == 'renamed', best and best.name)
  vim.cmd('MemoryRetrieve what does the link lead to')
  wait(function() return #vim.fn.getqflist() > 0 end)
  ok(':MemoryRetrieve fills the quickfix list', vim.fn.getqflist()[1].text:find('renamed', 1, true) ~= nil)
  vim.cmd('cclose')
  wait(function() return memory.status():find('^memory') ~= nil end)
  ok('status', memory.status():find('^memory') ~= nil, memory.status())

  vim.cmd('checkhealth memory_lsp')
  local health = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  ok(':checkhealth memory_lsp', health:find('memory%-lsp %d') and health:find('2 notes') and health:find('keywords only'),
    not health:find('2 notes') and health)
  vim.cmd('bdelete')
  vim.cmd('help memory_lsp-status')
  ok(':help memory_lsp', vim.bo.filetype == 'help' and vim.api.nvim_buf_get_name(0):match('memory_lsp%.txt$') ~= nil)
  vim.cmd('helpclose')

  local file = io.open('nowhere.md', 'w')
  file:write('# Nowhere\n')
  file:close()
  local gone = wait(function()
    for _, item in ipairs(vim.diagnostic.get(buffer)) do
      if item.code == 'dangling-link' then return false end
    end
    return true
  end)
  ok('a file made outside clears its diagnostic', gone)
end

local good, err = xpcall(run, debug.traceback)
if not good then ok('no error', false, err) end
io.stdout:write(('%d passed, %d failed\n'):format(passed, failed))
vim.cmd(failed == 0 and 'qall!' or 'cquit 1')
