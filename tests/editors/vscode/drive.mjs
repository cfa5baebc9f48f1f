// The journey of a user through the packaged extension, in a real VS Code: one line a check.
// usage: node drive.mjs VSIX SERVER; screenshots go to $MEMORY_LSP_SHOTS where that is set.
import fs from 'node:fs';
import path from 'node:path';
import { Hands } from './hands.mjs';
import { killServer } from './processes.mjs';
import { cache, Checks, installExtension, makeData, makeWorkspace, openBrowser, pause, remove, startServer, until } from './workbench.mjs';

const [vsix, memoryServer] = process.argv.slice(2);
const shots = process.env.MEMORY_LSP_SHOTS;
const checks = new Checks();
const workspace = makeWorkspace();
const inMemory = (...parts) => path.join(workspace, 'memory', ...parts);
const read = (...parts) => { try { return fs.readFileSync(inMemory(...parts), 'utf8'); } catch { return ''; } };
const data = makeData({ 'memory.retrieval.ranker': 'cascade', 'memory.server.path': memoryServer, 'security.workspace.trust.enabled': false });
let server, browser, page, hands;

const shot = async (name, x, y, width, height) => {
  if (shots) await page.screenshot({ path: path.join(shots, `vscode-${name}.png`), clip: { x, y, width, height } });
};
const failure = (name) => page?.screenshot({ path: path.join(cache, `failed-${name}.png`) }).catch(() => {});
const squiggle = (state = 'visible', timeout = 30000) => hands.shown('.monaco-editor .squiggly-warning', { state, timeout });

async function step(name, work) {
  try {
    if (!(await work())) throw new Error(`on the screen: ${await hands.text()}`);
    checks.note(name, true);
  } catch (error) {
    checks.note(name, false, error.message);
    await failure(checks.failed);
    await page.keyboard.press('Escape').catch(() => {});
  }
}

/** Try something in the frames of the page until it answers: a preview loads in one that lies under the shown one. */
function inPreview(work) {
  return until(async () => {
    for (const frame of page.frames()) {
      const answer = await work(frame).catch(() => undefined);
      if (answer) return answer;
    }
    return undefined;
  }, 30000);
}

async function journey() {
  await hands.recordStatus();
  await step('the status bar goes through indexing to ready', async () => {
    await hands.open('memory', 'project', 'onboarding-plan.md');
    await until(async () => /indexing.*Memory: 32 notes$/.test((await hands.statuses()).join(' ')), 120000);
    const seen = (await hands.statuses()).join(' | ');
    if (!/indexing \d+\/32 notes.*Memory: 32 notes$/.test(seen)) throw new Error(seen);
    return true;
  });
  await step('a dangling link has a squiggle', () => squiggle());
  await step('the Problems panel lists it', async () => {
    await page.keyboard.press('Control+Shift+KeyM');
    const listed = await hands.shown('.markers-panel .monaco-list-row', { hasText: 'load-test-results' });
    await page.keyboard.press('Control+Shift+KeyM');
    return listed;
  });
  await step('wikilinks are coloured', async () => {
    const [link, text] = [await hands.at('[[glossary]]'), await hands.at('run the page locally')];
    return link.style !== text.style;
  });
  await step('a hover previews the note', async () => {
    const shown = await hands.hoverShows('[[glossary]]', 'plain English');
    await pause(300);
    await shot('hover', 352, 40, 848, 465);
    return shown;
  });
  await step('a link in the hover leads to the note', async () => {
    await page.locator('.monaco-hover:not(.hidden) a', { hasText: /^glossary$/ }).first().click();
    return hands.shown('.tab.active[data-resource-name="glossary.md"]');
  });
  await step('F12 goes to the definition', async () => {
    await hands.open('memory', 'project', 'onboarding-plan.md');
    await hands.click('[[skerryline]]');
    await page.keyboard.press('F12');
    return hands.shown('.tab.active[data-resource-name="skerryline.md"]');
  });
  await step('the views are filled for a note', async () => {
    await hands.open('memory', 'reference', 'glossary.md');
    await page.locator('.activitybar .action-item a[aria-label^="Memory"]').first().click();
    const related = await until(async () => (await hands.view('Related Memories')).find((row) => /skerryline|onboarding-plan/.test(row)));
    const backlinks = await until(async () => (await hands.view('Backlinks')).find((row) => /product-owner-role.*deckhand/.test(row)));
    const types = await until(async () => (await hands.view('Memory')).find((row) => /^user ?5/.test(row)));
    return related && backlinks && types;
  });
  await step('Related Memories follows the cursor in code, with the reason', async () => {
    await hands.open('src', 'importer.py');
    await hands.click('run against a real Postgres');
    await page.locator('.activitybar .action-item a[aria-label^="Memory"]').first().click();
    const row = await until(async () => (await hands.view('Related Memories')).find((each) => /no-mocked-database/.test(each)), 20000);
    await pause(500);
    await shot('related', 0, 0, 1200, 300);
    return /by meaning|by words|via/.test(row ?? '');
  });
  await step('Retrieve… answers while one types, with scores and paths', async () => {
    await hands.command('Memory: Retrieve…');
    await hands.quick.locator('input[placeholder^="What are you about"]').waitFor({ state: 'visible' });
    await page.keyboard.type('how should I format this comparison?');
    await hands.rows.filter({ hasText: 'comparisons-as-tables —link→ decision-template' }).first().waitFor({ timeout: 20000 });
    const texts = (await hands.rows.allInnerTexts()).join('\n');
    await shot('retrieve', 300, 0, 602, 345);
    if (!/comparisons-as-tables\s*0\.\d\d · feedback/.test(texts)) throw new Error(texts);
    return true;
  });
  await step('accepting opens the note', async () => {
    await page.keyboard.press('Enter');
    return hands.shown('.tab.active[data-resource-name="comparisons-as-tables.md"]');
  });
  await step('a completion is accepted', async () => {
    await hands.open('memory', 'project', 'release-routine.md');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('See [[harbour-co', { delay: 100 });
    await hands.shown('.suggest-widget.visible .monaco-list-row', { hasText: 'harbour-codes' });
    await pause(300);
    await page.keyboard.press('Enter');
    const text = await until(() => hands.at('See [[harbour-codes]]'), 5000);
    await page.keyboard.press('Control+KeyS');
    return text && until(() => read('project', 'release-routine.md').includes('See [[harbour-codes]]'), 5000);
  });
  await step('a note that is made outside clears its squiggle', async () => {
    await hands.open('memory', 'project', 'onboarding-plan.md');
    await squiggle();
    fs.writeFileSync(inMemory('project', 'load-test-results.md'), '# Load test\n');
    const gone = await squiggle('detached');
    fs.rmSync(inMemory('project', 'load-test-results.md'));
    return gone && squiggle();
  });
  await step('a quick fix makes the missing note', async () => {
    await hands.click('[[load-test-results]]');
    await page.keyboard.press('Control+Period');
    const action = page.locator('.action-widget .monaco-list-row', { hasText: /Create/ }).first();
    await action.waitFor({ timeout: 15000 });
    await shot('quick-fix', 352, 200, 848, 210);
    await action.click();
    const made = await until(() => fs.existsSync(inMemory('project', 'load-test-results.md')));
    await hands.open('memory', 'project', 'onboarding-plan.md');
    return made && squiggle('detached');
  });
  await step('a rename goes through all files', async () => {
    await hands.click('[[glossary]]');
    await page.keyboard.press('F2');
    const box = page.locator('.rename-box input').first();
    await box.waitFor({ timeout: 15000 });
    await box.fill('words-of-the-crew');
    await page.keyboard.press('Enter');
    await until(() => read('reference', 'words-of-the-crew.md').includes('name: words-of-the-crew'));
    const isThere = () => read('user', 'product-owner-role.md').includes('[[words-of-the-crew]]') && read('MEMORY.md').includes('words-of-the-crew.md');
    if (!(await until(isThere, 5000))) throw new Error(`${fs.readdirSync(inMemory('reference'))} ${read('user', 'product-owner-role.md')}`);
    return Boolean(await hands.at('[[words-of-the-crew]]'));
  });
  await step('the preview renders wikilinks', async () => {
    await page.keyboard.press('Control+Shift+KeyV');
    // The preview listens to clicks only once its script has run, which nothing on the screen tells; and Playwright may
    // take the frame that is being replaced for the one on top, where only the page itself can click.
    return until(async () => {
      await inPreview(async (frame) => {
        const link = await frame.$('a.memory-wikilink[data-href="../reference/words-of-the-crew.md"]');
        return link && link.click({ timeout: 2000 }).catch(() => link.evaluate((each) => each.click())).then(() => true);
      });
      return hands.shown('.tab.active[data-resource-name="words-of-the-crew.md"]', { timeout: 3000 });
    }, 40000);
  });
  await step('the preview tells embeds and links that lead nowhere, and leaves code alone', async () => {
    fs.writeFileSync(inMemory('project', 'previewed.md'), '![[skerryline]] and [[not-there]] and `[[in-code]]`\n');
    await hands.open('memory', 'project', 'previewed.md');
    await page.keyboard.press('Control+Shift+KeyV');
    const found = await inPreview(async (frame) => {
      const links = await frame.$$eval('a.memory-wikilink', (all) => all.map((each) => `${each.textContent} ${each.className}`));
      return links.length === 2 && /^skerryline \S+ memory-embed$/.test(links[0]) && links.join(' | ');
    });
    if (!/not-there memory-wikilink memory-unknown$/.test(found ?? '')) throw new Error(found);
    return true;
  });
  await step('Rebuild Index says how far it is, and that it is done', async () => {
    await hands.command('Memory: Rebuild Index');
    const isShown = await hands.shown('.notification-list-item', { hasText: 'Rebuilding the memory index' });
    return isShown && hands.shown('.statusbar-item', { hasText: /index is rebuilt: 3\d notes, 3\d with a vector/, timeout: 30000 });
  });
  await step('the walkthrough opens, and its buttons work', async () => {
    await hands.command('Welcome: Open Walkthrough...');
    const row = hands.rows.filter({ hasText: 'Start with Memory' }).first();
    await row.waitFor({ timeout: 10000 });
    await row.click();
    await page.locator('.gettingStartedContainer').getByText('Ask which notes matter').first().click();
    await page.locator('.gettingStartedContainer').getByText('Retrieve…').first().click();
    await hands.quick.locator('input[placeholder^="What are you about"]').waitFor({ state: 'visible', timeout: 10000 });
    await page.keyboard.press('Escape');
    return true;
  });
  await step('New Memory asks and makes the note', async () => {
    await hands.command('Memory: New Memory');
    await hands.rows.filter({ hasText: 'feedback' }).first().click();
    for (const [place, answer] of [['Short', 'Ask before deleting'], ['One sentence', 'Say what goes, and wait for a yes']]) {
      const input = hands.quick.locator(`input[placeholder^="${place}"]`);
      await input.fill(answer, { timeout: 10000 });
      await input.press('Enter');
    }
    await hands.shown('.tab.active[data-resource-name="ask-before-deleting.md"]');
    return /name: Ask before deleting\ndescription: Say what goes, and wait for a yes\ntype: feedback/.test(read('feedback', 'ask-before-deleting.md'));
  });
  await step('a click on the status offers doctor, log and rebuild', async () => {
    await page.locator('.statusbar-item[id*="memory.status"] a').first().click();
    await hands.rows.filter({ hasText: 'doctor' }).first().waitFor({ timeout: 10000 });
    const texts = (await hands.rows.allInnerTexts()).join(' ');
    await page.keyboard.press('Escape');
    return /doctor.*Rebuild.*log/s.test(texts);
  });
  await step('doctor runs in a terminal', async () => {
    await hands.command('Memory: Run Doctor in a Terminal');
    const text = await until(async () => {
      const shown = (await page.locator('.xterm-rows').allInnerTexts()).join(' ');
      return /all-MiniLM/.test(shown) && shown;
    }, 20000);
    if (!text) throw new Error((await page.locator('.xterm-rows').allInnerTexts()).join(' '));
    return true;
  });
  await step('a killed server comes back, and says so', async () => {
    await hands.recordStatus();
    killServer(memoryServer, server.child.pid);
    await until(async () => /restarting.*Memory: \d+ notes$/.test((await hands.statuses()).join(' ')), 60000);
    await hands.open('memory', 'project', 'onboarding-plan.md');
    const hover = await hands.hoverShows('[[skerryline]]', 'Skerryline');
    const seen = (await hands.statuses()).join(' | ');
    if (!/restarting.*\d+ notes/.test(seen)) throw new Error(seen);
    return hover;
  });
}

/** Commands exist in every window. */
async function withoutFolder() {
  await page.goto(`http://127.0.0.1:${server.port}/?ew=true`);
  await page.waitForSelector('.monaco-workbench', { timeout: 60000 });
  await step('without a folder a command says what is missing', async () => {
    await hands.command('Memory: Retrieve…');
    return hands.shown('.notification-list-item', { hasText: 'No folder is open', timeout: 40000 });
  });
}

/** An untrusted workspace must not choose which program runs. */
async function untrusted() {
  const settings = path.join(data, 'User', 'settings.json');
  const known = JSON.parse(fs.readFileSync(settings, 'utf8'));
  fs.writeFileSync(settings, JSON.stringify({
    ...known, 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never',
    'security.workspace.trust.banner': 'always',
  }));
  const evil = path.join(workspace, 'evil');
  fs.writeFileSync(evil, `#!/bin/sh\ntouch '${workspace}/ran'\n`, { mode: 0o755 });
  fs.mkdirSync(path.join(workspace, '.vscode'));
  fs.writeFileSync(path.join(workspace, '.vscode/settings.json'), JSON.stringify({ 'memory.server.path': evil }));
  await page.goto(`http://127.0.0.1:${server.port}/?folder=${encodeURIComponent(workspace)}&fresh=1`);
  await page.waitForSelector('.monaco-workbench', { timeout: 60000 });
  await step('an untrusted workspace cannot choose the program', async () => {
    const restricted = await hands.shown('.statusbar-item', { hasText: 'Restricted Mode', timeout: 30000 });
    await until(async () => /Memory: \d+ notes$/.test(await hands.status()), 40000);
    if (!/Memory: \d+ notes$/.test(await hands.status())) throw new Error(await hands.status());
    return restricted && !fs.existsSync(path.join(workspace, 'ran'));
  });
}

try {
  await installExtension(data, vsix);
  server = await startServer(data);
  let offsite;
  ({ browser, page, offsite } = await openBrowser({ width: 1200, height: 720 }));
  hands = new Hands(page);
  await page.goto(`http://127.0.0.1:${server.port}/?folder=${encodeURIComponent(workspace)}`);
  await page.waitForSelector('.monaco-workbench', { timeout: 90000 });
  await page.waitForSelector('.explorer-folders-view .monaco-list-row', { timeout: 90000 });
  await journey();
  await withoutFolder();
  await untrusted();
  checks.note('nothing is asked of another machine', offsite.size === 0, [...offsite].join(' '));
} catch (error) {
  checks.note('the workbench', false, error.stack);
  await failure('workbench');
} finally {
  await browser?.close();
  await server?.stop();
  remove(workspace, data);
}
console.log(`${checks.passed} passed, ${checks.failed} failed`);
process.exit(checks.failed ? 1 : 0);
