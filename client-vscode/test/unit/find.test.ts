import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { expanded, findServer, onSearchPath, type Machine, type Python } from '../../src/server/find';
import { searchPath, thisMachine } from '../../src/server/machine';

const BARE: Python = { hasServer: false, takesPackages: true, makesEnvironments: true };
const READY: Python = { ...BARE, hasServer: true };

function machine(executables: string[], other: Partial<Machine> = {}): Machine {
  return {
    platform: 'linux',
    home: '/home/ada',
    folder: '/home/ada/project',
    setting: '',
    isTrusted: true,
    searchPath: ['/usr/bin', '/home/ada/.local/bin'],
    isExecutable: async (file) => executables.includes(file),
    ownEnvironment: '/home/ada/.config/storage/server',
    probe: async () => BARE,
    interpreter: async () => undefined,
    ...other,
  };
}

test('the setting comes before everything else, with ~ and the folder filled in', async () => {
  const here = machine(['/home/ada/bin/memory-lsp', '/usr/bin/memory-lsp'], { setting: '~/bin/memory-lsp' });
  const found = await findServer(here);
  assert.deepEqual(found, {
    command: '/home/ada/bin/memory-lsp', args: ['--stdio'], origin: 'by the setting memory.server.path',
  });
  assert.equal(expanded('${workspaceFolder}/.venv/bin/memory-lsp', '/h', '/w'), '/w/.venv/bin/memory-lsp');
  assert.equal(expanded('~x/memory-lsp', '/h', undefined), '~x/memory-lsp');
});

test('a setting that names nothing is said, and no other program runs instead', async () => {
  const found = await findServer(machine(['/usr/bin/memory-lsp'], { setting: '/opt/nowhere' }));
  assert.ok('reason' in found && found.isSetting);
  assert.match(found.reason, /\/opt\/nowhere/);
});

test('a bare name in the setting is looked for on the PATH', async () => {
  const found = await findServer(machine(['/home/ada/.local/bin/memory-lsp-dev'], { setting: 'memory-lsp-dev' }));
  assert.ok('command' in found && found.command === '/home/ada/.local/bin/memory-lsp-dev');
});

test('then the PATH, then the selected interpreter, then python3', async () => {
  const selected = { interpreter: async () => '/venv/bin/python', probe: async () => READY };
  const onPath = await findServer(machine(['/usr/bin/memory-lsp'], selected));
  assert.ok('command' in onPath && onPath.command === '/usr/bin/memory-lsp');
  const inVenv = await findServer(machine([], selected));
  assert.deepEqual(inVenv, {
    command: '/venv/bin/python', args: ['-m', 'memory_lsp', '--stdio'], origin: 'in the selected Python interpreter',
  });
  const python3 = await findServer(
    machine(['/usr/bin/python3'], { ...selected, probe: async (python) => (python === '/usr/bin/python3' ? READY : BARE) }),
  );
  assert.ok('command' in python3 && python3.command === '/usr/bin/python3');
});

test('where nothing is found, it is said what was looked at', async () => {
  const found = await findServer(machine(['/usr/bin/python3']));
  assert.ok('reason' in found && !found.isSetting);
  assert.match(found.reason, /PATH.*interpreter/);
});

test('in an untrusted workspace nothing inside of it is run', async () => {
  const folder = '/home/ada/project';
  const inside = [`${folder}/bin/memory-lsp`, `${folder}/.venv/bin/python`];
  const untrusted = machine(inside, {
    isTrusted: false,
    searchPath: [`${folder}/bin`],
    interpreter: async () => `${folder}/.venv/bin/python`,
    probe: async () => READY,
  });
  assert.ok('reason' in (await findServer(untrusted)));
  assert.ok('command' in (await findServer({ ...untrusted, isTrusted: true })));
});

test('a relative entry of the PATH is never used', async () => {
  assert.equal(await onSearchPath(machine(['bin/memory-lsp'], { searchPath: ['bin', '.'] }), 'memory-lsp'), undefined);
});

test('Windows looks for .exe', async () => {
  const windows = machine(['C:\\bin\\memory-lsp.exe'], { platform: 'win32', searchPath: ['C:\\bin'] });
  assert.equal(await onSearchPath(windows, 'memory-lsp'), 'C:\\bin\\memory-lsp.exe');
});

test('where uv and pipx put programs is looked at, be it on the PATH or not', () => {
  const separator = process.platform === 'win32' ? ';' : ':';
  const environment = { PATH: ['/usr/bin', '', '/bin'].join(separator), UV_TOOL_BIN_DIR: '/opt/tools', PIPX_BIN_DIR: '/usr/bin' };
  assert.deepEqual(searchPath(environment, '/home/ada'), ['/usr/bin', '/bin', '/opt/tools', join('/home/ada', '.local', 'bin')]);
});

test('the environment that the extension made comes before python3', async () => {
  const own = '/home/ada/.config/storage/server/bin/python';
  const found = await findServer(machine(['/usr/bin/python3', own], { probe: async () => READY }));
  assert.ok('command' in found && found.command === own);
});

test('a real interpreter without the server is told from one with it', async () => {
  const here = thisMachine('/storage');
  const python = (await onSearchPath(here, 'python3')) ?? '';
  const folder = await mkdtemp(join(tmpdir(), 'python-'));
  await mkdir(join(folder, 'memory_lsp'));
  await writeFile(join(folder, 'memory_lsp', '__init__.py'), '');
  const before = { cwd: process.cwd(), path: process.env.PYTHONPATH };
  process.chdir(folder);
  delete process.env.PYTHONPATH;
  assert.notEqual((await here.probe(python))?.hasServer, true, 'the current folder must not count');
  process.env.PYTHONPATH = folder;
  const isRecent = spawnSync(python, ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']).status === 0;
  assert.equal((await here.probe(python))?.hasServer ?? false, isRecent);
  process.chdir(before.cwd);
  process.env.PYTHONPATH = before.path ?? '';
  await rm(folder, { recursive: true });
});
