/** Which program is the server? The first of: the setting, the PATH, the selected interpreter, our own one, python3. */

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

/** What a Python of 3.11 or newer is good for. */
export interface Python {
  hasServer: boolean;
  /** pip installs into it: it has pip, and no package manager of the system owns it (PEP 668). */
  takesPackages: boolean;
  /** It can make an environment; Debian has that in a package of its own. */
  makesEnvironments: boolean;
}

/** What finding needs to know of the machine. */
export interface Machine {
  platform: string;
  home: string;
  folder: string | undefined;
  setting: string;
  isTrusted: boolean;
  searchPath: string[];
  /** The folder of the environment that an installation by pip makes for the server alone. */
  ownEnvironment: string;
  isExecutable(file: string): Promise<boolean>;
  /** Ask an interpreter; undefined where it is none, or too old for the server. */
  probe(python: string): Promise<Python | undefined>;
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
    if ((await machine.probe(python))?.hasServer) {
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
  const selected = await selectedPython(machine);
  if (selected) {
    found.push([selected, 'in the selected Python interpreter']);
  }
  const own = pythonOf(machine, machine.ownEnvironment);
  if (await machine.isExecutable(own)) {
    found.push([own, 'in the environment that the extension made']);
  }
  for (const [name, python] of await pythonsOnPath(machine)) {
    if (!found.some(([known]) => known === python)) {
      found.push([python, `in ${name}`]);
    }
  }
  return found;
}

/** Return the interpreter that the user selected; in an untrusted workspace, none inside of it. */
export async function selectedPython(machine: Machine): Promise<string | undefined> {
  const selected = await machine.interpreter();
  return selected && (machine.isTrusted || !isInside(machine, selected)) ? selected : undefined;
}

/** Return the Pythons that can be started by name, each with its name. */
export async function pythonsOnPath(machine: Machine): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (const name of machine.platform === 'win32' ? ['python3', 'python', 'py'] : ['python3', 'python']) {
    const python = await onSearchPath(machine, name);
    if (python) {
      found.push([name, python]);
    }
  }
  return found;
}

/** Return the interpreter of an environment. */
export function pythonOf(machine: Machine, environment: string): string {
  return machine.platform === 'win32'
    ? path.win32.join(environment, 'Scripts', 'python.exe')
    : path.posix.join(environment, 'bin', 'python');
}

function isInside(machine: Machine, file: string): boolean {
  if (!machine.folder) {
    return false;
  }
  const relative = path.relative(machine.folder, file);
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative));
}
