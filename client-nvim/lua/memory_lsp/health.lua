-- `:checkhealth memory_lsp`: is the server there, does it run, and what does it serve?
local M = {}

local memory = require('memory_lsp')

-- Neovim 0.10 took `report_` off the names, and 0.8 made the module part of `vim`.
local health = vim.health or require('health')
local function report(kind)
  return health[kind] or health['report_' .. kind]
end
local start, ok, warn, err = report('start'), report('ok'), report('warn'), report('error')

local INSTALL = { "uv tool install 'memory-lsp[onnx]'", "or pipx install 'memory-lsp[onnx]'" }

local function check_program()
  local program = memory.command()[1]
  if vim.fn.executable(program) ~= 1 then
    return err(program .. ' is no program on the PATH', INSTALL)
  end
  local version = vim.trim(vim.fn.system({ program, '--version' }))
  if vim.v.shell_error ~= 0 then
    return err(program .. ' --version failed: ' .. version, INSTALL)
  end
  ok(version .. ' (' .. vim.fn.exepath(program) .. ')')
end

local function check_session(status)
  for _, directory in ipairs(status.directories) do
    local facts = string.format('%s: %d notes, %d with a vector', directory.path, directory.notes, directory.vectors)
    local report_it = directory.message == '' and ok or warn
    report_it(directory.message == '' and facts or facts .. '. ' .. directory.message)
  end
  local embedder = status.embedder
  if embedder.available then
    ok('notes are found by meaning, with ' .. tostring(embedder.modelId))
  else
    local why = embedder.message ~= '' and embedder.message or 'the model is ' .. embedder.state
    warn('notes are found by keywords only: ' .. why, { '`memory-lsp doctor` says more' })
  end
end

function M.check()
  start('memory-lsp')
  check_program()
  local statuses = memory.statuses()
  if #statuses == 0 then
    warn('no server runs', { 'open a markdown file, and see `:help memory_lsp-install`' })
  end
  for _, status in ipairs(statuses) do
    check_session(status)
  end
end

return M
