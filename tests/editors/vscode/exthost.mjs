// Runs the extension's own tests inside the extension host of a real VS Code.
// usage: node exthost.mjs SERVER
import fs from 'node:fs';
import path from 'node:path';
import { makeData, makeWorkspace, openBrowser, pause, remove, root, startServer } from './workbench.mjs';

const [memoryServer] = process.argv.slice(2);
const client = path.join(root, 'client-vscode');
const workspace = makeWorkspace();
fs.cpSync(path.join(root, 'docs/examples/flat'), path.join(workspace, 'flat'), { recursive: true });
const project = path.join(workspace, 'project');
fs.mkdirSync(project);
for (const name of ['memory', 'src']) fs.renameSync(path.join(workspace, name), path.join(project, name));
const file = path.join(workspace, 'two.code-workspace');
fs.writeFileSync(file, JSON.stringify({ folders: [{ path: 'project' }, { path: 'flat' }] }));
const data = makeData({ 'memory.server.path': memoryServer, 'security.workspace.trust.enabled': false });
let passed = 0, failed = 0, browser, server;
try {
  server = await startServer(data, ['--vscode-option', 'enable-smoke-test-driver']);
  let page;
  ({ browser, page } = await openBrowser({ width: 1000, height: 700 }));
  const over = new Promise((resolve) => {
    void page.exposeFunction('codeAutomationLog', (_, parts) => {
      for (const [, isBad, text] of String(parts.join(' ')).matchAll(/CHECK (not )?ok (.*)/g)) {
        if (isBad) failed += 1; else passed += 1;
        console.log(`${isBad ? 'not ok' : 'ok'} vscode host: ${text.replace(/\s*%?$/, '')}`);
      }
    });
    void page.exposeFunction('codeAutomationExit', (code) => resolve(code));
  });
  const authority = `127.0.0.1:${server.port}`;
  const payload = JSON.stringify([
    ['extensionDevelopmentPath', `vscode-remote://${authority}${client}`],
    ['extensionTestsPath', `vscode-remote://${authority}${client}/out/host/index.js`], ['skipWelcome', 'true'],
  ]);
  await page.goto(`http://${authority}/?workspace=${encodeURIComponent(file)}&payload=${encodeURIComponent(payload)}`);
  const code = await Promise.race([over, pause(150_000).then(() => 'no end within 150 s')]);
  if (code !== 0 && !failed) { failed += 1; console.log(`not ok vscode host: it ended with ${code}`); }
} catch (error) {
  failed += 1;
  console.log(`not ok vscode host: ${error.message.replace(/\s+/g, ' ')}`);
} finally {
  await browser?.close();
  await server?.stop();
  remove(workspace, data);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
