import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { Experimental, makeClient, selector } from '../../src/server/client';
import { thisMachine } from '../../src/server/machine';
import { Server, type State } from '../../src/server/server';

const { settings } = (vscode as unknown as { __state: { settings: Record<string, unknown> } }).__state;
const machine = () => thisMachine('/storage');
const log = new Proxy({}, { get: () => () => undefined }) as unknown as vscode.LogOutputChannel;

test('the server is told what this client can do', () => {
  const capabilities: { experimental?: unknown } = {};
  new Experimental().fillClientCapabilities(capabilities);
  assert.deepEqual(capabilities.experimental, {
    memoryStatus: true, commands: { commands: ['memory.showLocations'] },
  });
});

test('a server that goes away is started again, and the state says so', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'server-'));
  const program = join(folder, 'memory-lsp');
  await writeFile(program, '');
  await chmod(program, 0o755);
  settings['server.path'] = program;
  const start = context.mock.method(LanguageClient.prototype, 'start', async () => undefined);
  context.mock.method(LanguageClient.prototype, 'dispose', async () => undefined);
  const server = new Server(log, machine, async () => false);
  const states: State['kind'][] = [];
  const settled = new Promise<void>((resolve) => {
    server.onChange(({ kind }) => {
      states.push(kind);
      if (kind === 'running' && start.mock.callCount() === 2) {
        resolve();
      }
    });
  });
  await server.restart();
  assert.deepEqual(states, ['starting', 'running']);
  const first = start.mock.calls[0]?.this as unknown as { _clientOptions: { errorHandler: { closed(): unknown } } };
  first._clientOptions.errorHandler.closed();
  await settled;
  assert.deepEqual(states, ['starting', 'running', 'waiting', 'starting', 'running']);
  // What an old client still says does not count.
  first._clientOptions.errorHandler.closed();
  assert.equal(server.state.kind, 'running');
  await server.stop();
  await rm(folder, { recursive: true });
});

test('a command waits for the server and for what it serves', async (context) => {
  settings['server.path'] = process.execPath;
  context.mock.method(LanguageClient.prototype, 'start', async () => undefined);
  context.mock.method(LanguageClient.prototype, 'dispose', async () => undefined);
  const heard = context.mock.method(LanguageClient.prototype, 'onNotification', () => ({ dispose() {} }));
  const server = new Server(log, machine, async () => false);
  const started = server.started();
  await server.restart();
  const [, tell] = heard.mock.calls[0]?.arguments as unknown as [string, (status: unknown) => void];
  let isKnown = false;
  void started.then(() => (isKnown = true));
  await new Promise(setImmediate);
  assert.equal(isKnown, false);
  tell({ directories: [] });
  assert.equal(await started, true);
  await server.stop();
});

test('a missing server is offered, and nothing is started', async (context) => {
  settings['server.path'] = '/nowhere/memory-lsp';
  const start = context.mock.method(LanguageClient.prototype, 'start', async () => undefined);
  const offer = context.mock.fn(async () => false);
  const server = new Server(log, machine, offer);
  await server.restart();
  assert.equal(server.state.kind, 'missing');
  assert.equal(offer.mock.callCount(), 1);
  assert.equal(start.mock.callCount(), 0);
  assert.equal(await server.ask('memory/graph', {}), undefined);
});

test('the server gets notes, and the languages in whose comments links count', () => {
  const notes = { scheme: 'file', language: 'markdown' };
  assert.deepEqual(selector(), [notes]);
  settings['links.languages'] = ['python', 'typescript'];
  assert.deepEqual(selector(), [notes, { scheme: 'file', language: 'python' }, { scheme: 'file', language: 'typescript' }]);
  settings['links.languages'] = ['*'];
  assert.deepEqual(selector(), [{ scheme: 'file' }]);
  delete settings['links.languages'];
});

test('Python must not look for modules in the workspace', () => {
  const client = makeClient({ command: 'python3', args: ['-m', 'memory_lsp'], origin: '' }, log, () => undefined);
  const { _serverOptions } = client as unknown as { _serverOptions: { options: { env: Record<string, string> } } };
  assert.equal(_serverOptions.options.env.PYTHONSAFEPATH, '1');
});
