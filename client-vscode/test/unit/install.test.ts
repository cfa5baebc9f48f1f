import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as vscode from 'vscode';
import type { Machine, Python } from '../../src/server/find';
import { commandLines, Installation, installers, NEVER_ASK } from '../../src/server/install';

const ANY: Python = { hasServer: false, takesPackages: true, makesEnvironments: true };
const mocked = vscode.window as unknown as Record<string, unknown>;

function machine(executables: string[], other: Partial<Machine> = {}): Machine {
  return {
    platform: 'linux',
    home: '/home/ada',
    folder: '/home/ada/project',
    setting: '',
    isTrusted: true,
    searchPath: ['/usr/bin'],
    ownEnvironment: '/home/ada/my storage/server',
    isExecutable: async (file) => executables.includes(file),
    probe: async () => ANY,
    interpreter: async () => undefined,
    ...other,
  };
}

const lines = async (here: Machine) => (await installers(here)).map((way) => commandLines(way).join(' && '));

/** Remembers like the editor does, in memory. */
function memento(): vscode.Memento {
  const values = new Map<string, unknown>();
  return {
    keys: () => [...values.keys()],
    get: (key: string, fallback?: unknown) => values.get(key) ?? fallback,
    update: async (key: string, value: unknown) => void values.set(key, value),
  } as vscode.Memento;
}

test('the ways to install are those of the machine, and say what will run', async () => {
  assert.deepEqual(await lines(machine(['/usr/bin/uv', '/usr/bin/pipx', '/usr/bin/python3'])), [
    '/usr/bin/uv tool install "memory-lsp[onnx]"',
    '/usr/bin/pipx install "memory-lsp[onnx]"',
    '/usr/bin/python3 -m venv --clear "/home/ada/my storage/server" && ' +
      '"/home/ada/my storage/server/bin/python" -m pip install "memory-lsp[onnx]"',
  ]);
  assert.deepEqual(await lines(machine([])), []);
});

test('pip installs into the selected interpreter, spaces and all', async () => {
  const here = machine(['/usr/bin/python3'], { interpreter: async () => '/my venv/bin/python' });
  assert.deepEqual(await lines(here), ['"/my venv/bin/python" -m pip install "memory-lsp[onnx]"']);
});

test('a Python that the system owns, or one without pip, gets an environment beside it', async () => {
  const managed = machine(['/usr/bin/python3'], {
    interpreter: async () => '/usr/bin/python3',
    probe: async () => ({ ...ANY, takesPackages: false }),
  });
  assert.match((await lines(managed)).join(), /^\/usr\/bin\/python3 -m venv --clear /);
});

test('a Python that is too old, or cannot make environments, is not offered', async () => {
  const old = { probe: async () => undefined, interpreter: async () => '/old/python' };
  assert.deepEqual(await lines(machine(['/usr/bin/python3'], old)), []);
  const debian = { probe: async () => ({ ...ANY, takesPackages: false, makesEnvironments: false }) };
  assert.deepEqual(await lines(machine(['/usr/bin/python3'], debian)), []);
});

test('in an untrusted workspace its own interpreter is not run', async () => {
  const here = machine([], { isTrusted: false, interpreter: async () => '/home/ada/project/.venv/bin/python' });
  assert.deepEqual(await lines(here), []);
});

test('Windows has its own names', async () => {
  const here = machine(['C:\\Python\\py.exe'], {
    platform: 'win32', searchPath: ['C:\\Python'], ownEnvironment: 'C:\\Users\\Ada L\\server',
  });
  assert.deepEqual(await lines(here), [
    'C:\\Python\\py.exe -m venv --clear "C:\\Users\\Ada L\\server" && ' +
      '"C:\\Users\\Ada L\\server\\Scripts\\python.exe" -m pip install "memory-lsp[onnx]"',
  ]);
});

test('an offer is made once for each reason, and not at all where it was declined for good', async () => {
  const said: unknown[][] = [];
  let answer: string | undefined;
  mocked.showWarningMessage = async (...parts: unknown[]) => (said.push(parts), answer);
  const memory = memento();
  const missing = { reason: 'There is none.', isSetting: false };
  const one = new Installation(() => machine([]), memory);
  assert.equal(await one.offer(missing), false);
  assert.equal(await one.offer(missing), false);
  assert.equal(said.length, 1);
  assert.deepEqual(said[0]?.slice(1), ['Install…', 'Don’t Ask Again']);

  answer = 'Don’t Ask Again';
  await new Installation(() => machine([]), memory).offer(missing);
  assert.equal(memory.get(NEVER_ASK), true);
  await new Installation(() => machine([]), memory).offer(missing);
  assert.equal(said.length, 2);
  // A setting that names nothing is another matter.
  answer = undefined;
  await new Installation(() => machine([]), memory).offer({ reason: 'The setting names nothing.', isSetting: true });
  assert.equal(said.length, 3);

  await one.remind();
  await one.offer(missing);
  assert.equal(said.length, 4);
});

test('in an untrusted workspace nothing is installed, and it is said what to do', async () => {
  const { commands } = (vscode as unknown as { __state: { commands: unknown[][] } }).__state;
  let text = '';
  mocked.showWarningMessage = async (message: string, button: string) => ((text = message), button);
  const here = machine(['/usr/bin/uv'], { isTrusted: false });
  assert.equal(await new Installation(() => here, memento()).install(), false);
  assert.match(text, /not trusted.*uv tool install/);
  assert.deepEqual(commands.at(-1), ['workbench.trust.manage']);
});

test('where nothing can install, it is said what would help', async () => {
  let text = '';
  mocked.showErrorMessage = async (message: string) => void (text = message);
  assert.equal(await new Installation(() => machine([]), memento()).install(), false);
  assert.match(text, /uv, pipx, or Python 3\.11/);
});
