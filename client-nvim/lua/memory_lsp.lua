-- What Neovim adds to the language server: retrieval into the quickfix list, and a status for the status line.
local M = { options = {} }

local NAME = 'memory_lsp'
local COMMAND = { 'memory-lsp', '--stdio' }
local status_by_client = {}

local function clients(buffer)
  local get = vim.lsp.get_clients or vim.lsp.get_active_clients
  local found = {}
  for _, client in pairs(get()) do
    if client.name == NAME and (not buffer or vim.lsp.buf_is_attached(buffer, client.id)) then
      table.insert(found, client)
    end
  end
  return found
end

-- The server of this buffer, else any that runs: a question may be asked from every window.
local function server()
  local client = clients(vim.api.nvim_get_current_buf())[1] or clients()[1]
  if not client then
    vim.notify('memory-lsp is not running: open a note first.', vim.log.levels.WARN)
  end
  return client
end

local function request(client, method, params, on_result)
  local function answered(err, result)
    if err then
      vim.notify(method .. ': ' .. err.message, vim.log.levels.ERROR)
    else
      on_result(result)
    end
  end
  -- Neovim 0.11 made the client's functions methods.
  if vim.fn.has('nvim-0.11') == 1 then
    client:request(method, params, answered)
  else
    client.request(method, params, answered)
  end
end

-- How a result was reached, in words.
function M.path_text(path)
  local parts = {}
  for n, step in ipairs(path) do
    local label = step.kind == 'Tag' and '#' .. step.label or step.label
    table.insert(parts, n == 1 and label or '→ ' .. label)
  end
  return table.concat(parts, ' ')
end

local function to_quickfix(title, answer)
  local items = {}
  for _, result in ipairs(answer.results) do
    local text = string.format('%.2f %s — %s (%s)', result.score, result.name, result.description, M.path_text(result.path))
    table.insert(items, { filename = vim.uri_to_fname(result.uri), lnum = 1, col = 1, text = text })
  end
  if #items == 0 then
    vim.notify('No memory fits.')
    return
  end
  vim.fn.setqflist({}, ' ', { title = title, items = items })
  vim.cmd('copen')
end

--- Which notes belong to a query? The answer fills the quickfix list.
function M.retrieve(query)
  local client = server()
  if client then
    request(client, 'memory/retrieve', { query = query }, function(answer)
      to_quickfix('Memory: ' .. query, answer)
    end)
  end
end

--- What does the memory know about the place under the cursor?
function M.related()
  local client = server()
  if not client then
    return
  end
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local first = math.max(0, line - 100)
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(0) },
    position = { line = line, character = 0 },
    text = table.concat(vim.api.nvim_buf_get_lines(0, first, line + 100, false), '\n'),
    firstLine = first,
  }
  request(client, 'memory/related', params, function(answer)
    to_quickfix('Related memories', answer)
  end)
end

--- Throw the index away and make it again.
function M.rebuild()
  local client = server()
  if client then
    request(client, 'memory/rebuild', vim.empty_dict(), function(stats)
      vim.notify(string.format('Memory: %d notes, %d vectors.', stats.notes, stats.vectors))
    end)
  end
end

--- A word for the status line: '' while no server runs.
function M.status()
  local client = clients()[1]
  local status = client and status_by_client[client.id]
  if not status then
    return ''
  end
  for _, directory in ipairs(status.directories) do
    local indexing = directory.indexing
    if type(indexing) == 'table' then
      return string.format('memory: indexing %d/%d notes', indexing.done, indexing.total)
    end
  end
  if status.health ~= 'ok' then
    return 'memory: ' .. status.message
  end
  return status.quiescent and 'memory' or 'memory …'
end

--- What each running server said of itself last.
function M.statuses()
  local found = {}
  for _, client in ipairs(clients()) do
    table.insert(found, status_by_client[client.id])
  end
  return found
end

--- The command that starts the server, as configured.
function M.command()
  local config = vim.lsp.config and vim.lsp.config[NAME] or M.options
  return type(config.cmd) == 'table' and config.cmd or COMMAND
end

function M.on_status(status, context)
  status_by_client[context.client_id] = status
  vim.api.nvim_exec_autocmds('User', { pattern = 'MemoryStatus', modeline = false })
end

--- The file types that the server gets: notes, and the languages in whose comments links to notes count.
function M.filetypes(config)
  local types = { 'markdown' }
  for _, section in ipairs({ config.init_options or {}, (config.settings or {}).memory or {} }) do
    vim.list_extend(types, (section.links or {}).languages or {})
  end
  return types
end

--- For `vim.lsp.config`: calls back with the root where the server is to serve a buffer.
function M.root_dir(buffer, on_dir)
  local types = M.filetypes(vim.lsp.config[NAME])
  if vim.tbl_contains(types, vim.bo[buffer].filetype) or vim.tbl_contains(types, '*') then
    on_dir(vim.fs.root(buffer, { 'MEMORY.md', '.graph' }) or vim.fs.root(buffer, '.git'))
  end
end

--- For Neovim 0.7 to 0.10, which have no `vim.lsp.config`: starts the server for markdown buffers, and for those of
--- the languages in `init_options.links.languages`.
function M.setup(options)
  options = options or {}
  M.options = options
  vim.api.nvim_create_autocmd('FileType', {
    pattern = M.filetypes(options),
    group = vim.api.nvim_create_augroup('memory_lsp', {}),
    callback = function(event)
      M.attach(event.buf, options)
    end,
  })
end

local started = {}

function M.attach(buffer, options)
  local path = vim.api.nvim_buf_get_name(buffer)
  local marker = vim.fs and vim.fs.find and vim.fs.find({ 'MEMORY.md', '.graph', '.git' }, { path = path, upward = true })[1]
  local root = options.root_dir or (marker and vim.fn.fnamemodify(marker, ':h')) or vim.fn.fnamemodify(path, ':h')
  local id = started[root]
  if not id or not vim.lsp.get_client_by_id(id) then
    local capabilities = vim.lsp.protocol.make_client_capabilities()
    capabilities.experimental = { memoryStatus = true }
    id = vim.lsp.start_client({
      name = NAME,
      cmd = options.cmd or COMMAND,
      root_dir = root,
      workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
      capabilities = capabilities,
      init_options = options.init_options,
      handlers = { ['memory/status'] = function(_, status, context) M.on_status(status, context) end },
    })
    started[root] = id
  end
  if id then
    vim.lsp.buf_attach_client(buffer, id)
  end
  return id
end

return M
