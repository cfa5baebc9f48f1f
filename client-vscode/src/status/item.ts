/** The item in the status bar; a click opens the menu. */

import * as vscode from 'vscode';
import type { Server } from '../server/server';
import { look } from './text';

/** Show how the server is. */
export function statusItem(server: Server): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('memory.status', vscode.StatusBarAlignment.Left, 0);
  item.name = 'Memory';
  item.command = 'memory.showStatus';
  const update = () => {
    const { text, tooltip, level } = look(server.state);
    item.text = text;
    item.tooltip = tooltip;
    item.backgroundColor =
      level === 'plain' ? undefined : new vscode.ThemeColor(`statusBarItem.${level}Background`);
    void vscode.commands.executeCommand('setContext', 'memory.serverState', server.state.kind);
    item.show();
  };
  update();
  return vscode.Disposable.from(item, server.onChange(update));
}
