-- Configuration for Neovim 0.11 and newer: `vim.lsp.enable('memory_lsp')`.
---@type vim.lsp.Config
return {
  cmd = { 'memory-lsp', '--stdio' },
  -- Instead of `filetypes`, which cannot depend on the setting `links.languages`.
  root_dir = function(buffer, on_dir)
    require('memory_lsp').root_dir(buffer, on_dir)
  end,
  workspace_required = false,
  capabilities = { experimental = { memoryStatus = true } },
  handlers = {
    ['memory/status'] = function(_, status, context)
      require('memory_lsp').on_status(status, context)
    end,
  },
}
