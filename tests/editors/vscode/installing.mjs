// The server installed from the extension, by each tool there is, in a real VS Code: one line a check.
// usage: node installing.mjs VSIX WHEELS PYTHON TOOL…; WHEELS holds the server's and what it needs, no index is asked.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Hands } from './hands.mjs';
import { cache, Checks, installExtension, makeData, makeWorkspace, openBrowser, pause, remove, startServer, until } from './workbench.mjs';

const [vsix, wheels, python, ...tools] = process.argv.slice(2);
const checks = new Checks();
const workspace = makeWorkspace();
const data = makeData({ 'security.workspace.trust.enabled': false });
const own = path.join(data, 'User/globalStorage/memory-lsp.memory-lsp/server');
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'home-'));
// A space in the path of every program.
const programs = path.join(home, 'my programs');
fs.mkdirSync(programs);
for (const tool of tools) fs.symlinkSync(tool, path.join(programs, path.basename(tool)));
fs.symlinkSync(python, path.join(programs, 'python3'));
// VS Code takes the PATH of a login shell.
fs.writeFileSync(path.join(home, '.profile'), `export PATH="${programs}:$PATH"\n`);
const environment = {
  ...Object.fromEntries(['LANG', 'TERM', 'SHELL', 'TMPDIR', 'HF_HUB_OFFLINE'].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
  HOME: home, PATH: '/usr/bin:/bin',
  PIP_NO_INDEX: '1', PIP_FIND_LINKS: wheels, UV_OFFLINE: '1', UV_FIND_LINKS: wheels, UV_PYTHON_DOWNLOADS: 'never',
};
// How each way shows itself, and what it leaves behind.
const ways = {
  uv: { line: 'uv" tool install "memory-lsp[onnx]"', traces: ['.local/bin', '.local/share/uv'].map((each) => path.join(home, each)) },
  pipx: { line: 'pipx" install "memory-lsp[onnx]"', traces: ['.local/bin', '.local/share/pipx'].map((each) => path.join(home, each)) },
  pip: { line: '-m pip install "memory-lsp[onnx]"', traces: [own] },
};
let server, browser, page, hands;

async function step(name, work) {
  try {
    if (!(await work())) throw new Error(`on the screen: ${await hands.text()}`);
    checks.note(name, true);
  } catch (error) {
    checks.note(name, false, error.message);
    await page.screenshot({ path: path.join(cache, `failed-install-${checks.failed}.png`) }).catch(() => {});
    await page.keyboard.press('Escape').catch(() => {});
  }
}

const offer = (text = 'neither on the PATH') => page.locator('.notification-list-item', { hasText: text }).first();
const terminal = async () => (await page.locator('.xterm-rows').allInnerTexts()).join(' ').replace(/\s+/g, '');

async function open(query = '') {
  await page.goto(`http://127.0.0.1:${server.port}/?folder=${encodeURIComponent(workspace)}${query}`);
  await page.waitForSelector('.monaco-workbench', { timeout: 90000 });
  await page.waitForSelector('.explorer-folders-view .monaco-list-row', { timeout: 90000 });
}

async function installBy(tool, { notes }) {
  await step(`without a server it is offered, and ${tool} is shown with what will run`, async () => {
    await offer().waitFor({ timeout: 60000 });
    await offer().locator('a', { hasText: 'Install…' }).click();
    const row = hands.rows.filter({ hasText: ways[tool].line }).first();
    await row.waitFor({ timeout: 20000 });
    await row.click();
    const dialog = page.locator('.monaco-dialog-box');
    await dialog.waitFor({ timeout: 10000 });
    const text = (await dialog.innerText()).replace(/\s+/g, ' ');
    if (!text.includes(`"${programs}/`) || !text.includes(ways[tool].line)) throw new Error(text);
    await dialog.locator('.monaco-button', { hasText: /^Run$/ }).click();
    return true;
  });
  await step(`${tool} runs in a terminal, and the server starts without a reload`, async () => {
    await page.evaluate(() => { window.notReloaded = true; });
    const isUp = await until(async () => (await hands.status()).endsWith(`Memory: ${notes} notes`), 120000);
    if (!isUp) throw new Error(`${await hands.status()}: ${(await terminal()).slice(-250)}`);
    if (!(await terminal()).includes('memory-lsp')) throw new Error(await terminal());
    return page.evaluate(() => window.notReloaded);
  });
  for (const trace of ways[tool].traces) fs.rmSync(trace, { recursive: true, force: true });
}

try {
  await installExtension(data, vsix);
  server = await startServer(data, [], environment);
  ({ browser, page } = await openBrowser({ width: 1200, height: 720 }));
  hands = new Hands(page);
  const [first, ...others] = [...tools.map((each) => path.basename(each)), 'pip'];
  await page.goto(`http://127.0.0.1:${server.port}/?ew=true`);
  await page.waitForSelector('.monaco-workbench', { timeout: 90000 });
  await step('without a server a command says so, and offers what helps', async () => {
    await hands.command('Memory: Retrieve…');
    return hands.shown('.quick-input-list .monaco-list-row', { hasText: 'Install the server', timeout: 30000 });
  });
  await page.keyboard.press('Escape');
  await installBy(first, { notes: 0 });
  await open();
  for (const tool of others) {
    await installBy(tool, { notes: 32 });
    await hands.command('Memory: Restart Server');
  }
  await step('an offer that was declined for good is not made again', async () => {
    await offer().waitFor({ timeout: 30000 });
    await offer().locator('a', { hasText: 'Ask Again' }).click();
    await offer().waitFor({ state: 'detached', timeout: 10000 });
    await pause(1000);
    await open();
    await until(async () => /no server/.test(await hands.status()), 60000);
    return !(await offer().isVisible());
  });
  await step('a command brings the offer back', async () => {
    await hands.command('Memory: Install the Server');
    const isShown = await hands.rows.filter({ hasText: '-m venv' }).first().waitFor({ timeout: 20000 }).then(() => true, () => false);
    await page.keyboard.press('Escape');
    return isShown;
  });
} catch (error) {
  checks.note('the installation', false, error.stack);
} finally {
  await browser?.close();
  await server?.stop();
  remove(workspace, data, home);
}
console.log(`${checks.passed} passed, ${checks.failed} failed`);
process.exit(checks.failed ? 1 : 0);
