-- Configuration for Neovim 0.11 and newer: `vim.lsp.enable('memory_lsp')`.
---@type vim.lsp.Config
return {
  cmd = { 'memory-lsp', '--stdio' },
  filetypes = { 'markdown' },
  root_markers = { { 'MEMORY.md', '.graph' }, '.git' },
  workspace_required = false,
  capabilities = { experimental = { memoryStatus = true } },
  handlers = {
    ['memory/status'] = function(_, status, context)
      require('memory_lsp').on_status(status, context)
    end,
  },
}
