/** Installing the server: by which tool, with which commands, in a terminal where the user sees them. */

import * as vscode from 'vscode';
import { findServer, onSearchPath, pythonOf, pythonsOnPath, selectedPython, type Machine, type Missing } from './find';
import { runInTerminal } from './terminal';

export const PACKAGE = 'memory-lsp[onnx]';
export const NEVER_ASK = 'memory.neverOfferInstallation';

export interface Installer {
  tool: 'uv' | 'pipx' | 'pip';
  /** Programs with their arguments; each runs once the one before has ended well. */
  steps: [string, ...string[]][];
  note: string;
}

/** Return the ways to install that this machine has, the cleanest first. */
export async function installers(machine: Machine): Promise<Installer[]> {
  const ways: Installer[] = [];
  const note = 'into an environment of its own';
  const uv = await onSearchPath(machine, 'uv');
  if (uv) {
    ways.push({ tool: 'uv', steps: [[uv, 'tool', 'install', PACKAGE]], note });
  }
  const pipx = await onSearchPath(machine, 'pipx');
  if (pipx) {
    ways.push({ tool: 'pipx', steps: [[pipx, 'install', PACKAGE]], note });
  }
  const selected = machine.isTrusted ? await selectedPython(machine) : undefined;
  if (selected && (await machine.probe(selected))?.takesPackages) {
    ways.push({ tool: 'pip', steps: [[selected, '-m', 'pip', 'install', PACKAGE]], note: 'into the selected interpreter' });
    return ways;
  }
  // Not `pip install --user`: where the system or an environment owns the Python, that is refused.
  for (const [, python] of await pythonsOnPath(machine)) {
    if ((await machine.probe(python))?.makesEnvironments) {
      const own = machine.ownEnvironment;
      const steps: Installer['steps'] = [
        [python, '-m', 'venv', '--clear', own],
        [pythonOf(machine, own), '-m', 'pip', 'install', PACKAGE],
      ];
      ways.push({ tool: 'pip', steps, note });
      break;
    }
  }
  return ways;
}

/** Return what will run, as one would type it, a line for each step. */
export function commandLines(installer: Installer): string[] {
  const quoted = (word: string) => (/[^\w./:=@\\-]/.test(word) ? `"${word}"` : word);
  return installer.steps.map((step) => step.map(quoted).join(' '));
}

/** Offers the installation, and carries it out. */
export class Installation {
  private readonly said = new Set<string>();
  private running: Promise<boolean> | undefined;

  constructor(
    private readonly machine: () => Machine,
    private readonly memory: vscode.Memento,
  ) {}

  /** Say that the server is missing and offer what helps, once for each reason; true once it is there. */
  async offer(missing: Missing): Promise<boolean> {
    const isUnwanted = !missing.isSetting && this.memory.get(NEVER_ASK, false);
    if (isUnwanted || this.said.has(missing.reason)) {
      return false;
    }
    this.said.add(missing.reason);
    const [help, never] = [missing.isSetting ? 'Open Settings' : 'Install…', 'Don’t Ask Again'];
    const answers = missing.isSetting ? [help] : [help, never];
    const answer = await vscode.window.showWarningMessage(`${missing.reason} Without it the notes are plain text.`, ...answers);
    if (answer === 'Open Settings') {
      await openSetting();
    }
    if (answer === never) {
      await this.memory.update(NEVER_ASK, true);
    }
    return answer === 'Install…' && this.install();
  }

  /** Forget what was said and declined, since the user asked for the server. */
  async remind(): Promise<void> {
    this.said.clear();
    await this.memory.update(NEVER_ASK, undefined);
  }

  /** Let the user choose and run an installation; true once the server is there. */
  install(): Promise<boolean> {
    this.running ??= this.choose().finally(() => (this.running = undefined));
    return this.running;
  }

  private async choose(): Promise<boolean> {
    if (!this.machine().isTrusted) {
      // VS Code runs no task here, and would not say that it was refused.
      const text = 'Nothing can be run in a terminal of a workspace that is not trusted.';
      const hint = 'Trust it, or install the server by hand: uv tool install "memory-lsp[onnx]".';
      if (await vscode.window.showWarningMessage(`${text} ${hint}`, 'Manage Workspace Trust')) {
        await vscode.commands.executeCommand('workbench.trust.manage');
      }
      return false;
    }
    const ways = await installers(this.machine());
    if (!ways.length) {
      void vscode.window.showErrorMessage(
        'Nothing here can install the server. Get uv, pipx, or Python 3.11 or newer with its module venv ' +
          '(on Debian the package python3-venv), then run “Memory: Install the Server”.',
      );
      return false;
    }
    const items = ways.map((way) => ({ label: `$(terminal) ${way.tool}`, description: way.note, detail: commandLines(way).join(' && '), way }));
    const title = 'Install memory-lsp: by which tool?';
    const chosen = await vscode.window.showQuickPick(items, { title, placeHolder: 'Choose a tool', ignoreFocusOut: true });
    return chosen !== undefined && this.run(chosen.way);
  }

  private async run(way: Installer): Promise<boolean> {
    // The list above cuts long lines; nothing runs that was not seen whole.
    const question = { modal: true, detail: commandLines(way).join('\n\n') };
    if (!(await vscode.window.showInformationMessage('Run this in a terminal?', question, 'Run'))) {
      return false;
    }
    for (const [command, ...parameters] of way.steps) {
      const status = await runInTerminal('Install memory-lsp', command, parameters);
      if (status !== 0) {
        const what = status === undefined ? 'was stopped' : `ended with status ${status}; the terminal says why`;
        void vscode.window.showErrorMessage(`The installation ${what}.`);
        return false;
      }
    }
    const found = await findServer(this.machine());
    if ('command' in found) {
      await this.remind();
      return true;
    }
    const text = `The installation ended well, but the server is not where the extension looks. ${found.reason}`;
    if ((await vscode.window.showWarningMessage(text, 'Open Settings')) !== undefined) {
      await openSetting();
    }
    return false;
  }
}

function openSetting(): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.openSettings', 'memory.server.path');
}
