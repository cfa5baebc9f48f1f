if vim.g.loaded_memory_lsp then
  return
end
vim.g.loaded_memory_lsp = 1

local command = vim.api.nvim_create_user_command
command('MemoryRetrieve', function(event)
  require('memory_lsp').retrieve(event.args)
end, { nargs = '+', desc = 'Notes that belong to a query, in the quickfix list' })
command('MemoryRelated', function()
  require('memory_lsp').related()
end, { desc = 'What the memory knows about the place under the cursor' })
command('MemoryRebuild', function()
  require('memory_lsp').rebuild()
end, { desc = 'Make the index of the memory anew' })
command('MemoryStatus', function()
  local status = require('memory_lsp').status()
  vim.notify(status ~= '' and status or 'memory-lsp is not running: see :checkhealth memory_lsp')
end, { desc = 'How the memory server does' })
