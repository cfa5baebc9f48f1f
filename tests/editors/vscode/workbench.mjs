// A real VS Code workbench (code-server) in a headless Chromium, on loopback, and what one does in it.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
export const root = path.resolve(here, '../../..');
export const cache = process.env.MEMORY_LSP_EDITORS_CACHE ?? path.join(root, '.cache/editors');
const { chromium } = createRequire(path.join(cache, 'playwright/package.json'))('playwright-core');
const entry = path.join(cache, 'code-server/node_modules/code-server/out/node/entry.js');
const offline = { EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: '' }) };

/** Make a folder with a copy of the example memory and a file of code, as a user's project would be. */
export function makeWorkspace() {
  const folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'workspace-')), 'skerryline');
  // Without the index that `make demo` may have left there: it is to be seen how one is made.
  const filter = (from) => path.basename(from) !== '.graph';
  fs.cpSync(path.join(root, 'docs/examples/memory'), path.join(folder, 'memory'), { recursive: true, filter });
  fs.mkdirSync(path.join(folder, 'src'));
  fs.copyFileSync(path.join(here, 'importer.py'), path.join(folder, 'src/importer.py'));
  return folder;
}

/** Remove what the functions here made. */
export function remove(workspace, ...folders) {
  if (process.env.MEMORY_LSP_KEEP) console.log('kept', workspace, ...folders);
  else for (const folder of [path.dirname(workspace), ...folders]) fs.rmSync(folder, { recursive: true, force: true });
}

export function makeData(settings) {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), 'work bench-'));
  const common = JSON.parse(fs.readFileSync(path.join(here, 'settings.json'), 'utf8'));
  for (const scope of ['User', 'Machine']) {
    fs.mkdirSync(path.join(data, scope));
    fs.writeFileSync(path.join(data, scope, 'settings.json'), JSON.stringify({ ...common, ...settings }));
  }
  return data;
}

export async function installExtension(data, vsix) {
  const child = spawn(process.execPath, [entry, '--user-data-dir', data, '--extensions-dir', path.join(data, 'ext'),
    '--config', '/dev/null', '--install-extension', vsix], { stdio: 'ignore', env: { ...process.env, ...offline } });
  const status = await new Promise((resolve) => child.on('exit', resolve));
  if (status !== 0) throw new Error(`the .vsix did not install: status ${status}`);
}

export async function startServer(data, flags = [], environment = process.env) {
  const port = await new Promise((resolve) => {
    const probe = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
  const log = fs.openSync(path.join(data, 'code-server.log'), 'w');
  const child = spawn(process.execPath, [entry, '--bind-addr', `127.0.0.1:${port}`, '--auth', 'none',
    '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override', '--user-data-dir', data,
    '--extensions-dir', path.join(data, 'ext'), '--config', '/dev/null', ...flags],
  { stdio: ['ignore', log, log], detached: true, env: { ...environment, ...offline } });
  const stop = async () => {
    const gone = new Promise((resolve) => child.on('exit', resolve));
    try { process.kill(-child.pid, 'SIGTERM'); } catch { return; }
    await Promise.race([gone, pause(5000)]);
  };
  for (let attempt = 0; ; attempt += 1) {
    try { if ((await fetch(`http://127.0.0.1:${port}/healthz`)).ok) return { port, stop, child }; } catch { /* not yet */ }
    if (attempt > 300) { await stop(); throw new Error('code-server did not come up'); }
    await pause(200);
  }
}

export async function openBrowser(viewport) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync'] });
  const page = await (await browser.newContext({ viewport })).newPage();
  const offsite = new Set();
  const note = (url) => {
    const { host, protocol } = new URL(url);
    // A web view's own files have such an address; the workbench's service worker answers, and no name is looked up.
    const isOff = protocol.startsWith('http') && !host.startsWith('127.0.0.1');
    if (isOff && !host.endsWith('.vscode-resource.vscode-cdn.net')) offsite.add(host);
  };
  page.on('request', (request) => note(request.url()));
  return { browser, page, offsite };
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Wait until a function answers something true; undefined once the time is over. */
export async function until(ask, ms = 15000) {
  for (const end = Date.now() + ms; Date.now() < end; await pause(150)) {
    const answer = await ask();
    if (answer) return answer;
  }
  return undefined;
}

/** Counts checks and prints one line each. */
export class Checks {
  passed = 0;
  failed = 0;
  begun = Date.now();

  note(name, isOk, detail = '') {
    this[isOk ? 'passed' : 'failed'] += 1;
    const seconds = ((Date.now() - this.begun) / 1000).toFixed(1);
    const shown = detail && !isOk ? `: ${String(detail).replace(/\s+/g, ' ').slice(0, 300)}` : '';
    console.log(`${isOk ? 'ok' : 'not ok'} vscode ${name} (${seconds} s)${shown}`);
    return isOk;
  }
}
