/** Which program is the server? The first of: the setting, the PATH, the selected interpreter, python3. */

import * as path from 'node:path';

export interface Launch {
  command: string;
  args: string[];
  /** Where it was found, for the user. */
  origin: string;
}

export interface Missing {
  /** What was looked at, one plain sentence. */
  reason: string;
  /** True where the user named a program that is not there: nothing else is tried then. */
  isSetting: boolean;
}

/** What finding needs to know of the machine. */
export interface Machine {
  platform: string;
  home: string;
  folder: string | undefined;
  setting: string;
  isTrusted: boolean;
  searchPath: string[];
  isExecutable(file: string): Promise<boolean>;
  /** Tell whether an interpreter can import the server. */
  hasServer(python: string): Promise<boolean>;
  interpreter(): Promise<string | undefined>;
}

/** Return how to start the server, or why it cannot be. */
export async function findServer(machine: Machine): Promise<Launch | Missing> {
  if (machine.setting.trim()) {
    return named(machine);
  }
  const onPath = await onSearchPath(machine, 'memory-lsp');
  if (onPath) {
    return { command: onPath, args: ['--stdio'], origin: 'on the PATH' };
  }
  for (const [python, origin] of await pythons(machine)) {
    if (await machine.hasServer(python)) {
      return { command: python, args: ['-m', 'memory_lsp', '--stdio'], origin };
    }
  }
  return {
    reason: 'memory-lsp is neither on the PATH nor installed for the selected Python interpreter.',
    isSetting: false,
  };
}

/** Return the absolute path of a program, looked for like a shell does, but never in the current folder. */
export async function onSearchPath(machine: Machine, name: string): Promise<string | undefined> {
  const endings = machine.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  const { join, isAbsolute } = machine.platform === 'win32' ? path.win32 : path.posix;
  for (const folder of machine.searchPath) {
    // A relative entry would run what lies in the workspace.
    if (!isAbsolute(folder) || (!machine.isTrusted && isInside(machine, folder))) {
      continue;
    }
    for (const ending of endings) {
      const file = join(folder, name + ending);
      if (await machine.isExecutable(file)) {
        return file;
      }
    }
  }
  return undefined;
}

/** Return the setting as a path: `~` and `${workspaceFolder}` filled in. */
export function expanded(setting: string, home: string, folder: string | undefined): string {
  const filled = setting.trim().replaceAll('${workspaceFolder}', folder ?? '').replaceAll('${userHome}', home);
  return filled === '~' || /^~[/\\]/.test(filled) ? home + filled.slice(1) : filled;
}

async function named(machine: Machine): Promise<Launch | Missing> {
  const wanted = expanded(machine.setting, machine.home, machine.folder);
  const isBare = !/[/\\]/.test(wanted);
  const file = isBare ? await onSearchPath(machine, wanted) : wanted;
  if (file && (await machine.isExecutable(file))) {
    return { command: file, args: ['--stdio'], origin: 'by the setting memory.server.path' };
  }
  return { reason: `The setting memory.server.path names ${wanted}, which is no program.`, isSetting: true };
}

async function pythons(machine: Machine): Promise<[string, string][]> {
  const found: [string, string][] = [];
  const selected = await machine.interpreter();
  if (selected && (machine.isTrusted || !isInside(machine, selected))) {
    found.push([selected, 'in the selected Python interpreter']);
  }
  for (const name of ['python3', 'python']) {
    const python = await onSearchPath(machine, name);
    if (python && !found.some(([known]) => known === python)) {
      found.push([python, `in ${name}`]);
    }
  }
  return found;
}

function isInside(machine: Machine, file: string): boolean {
  if (!machine.folder) {
    return false;
  }
  const relative = path.relative(machine.folder, file);
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative));
}
