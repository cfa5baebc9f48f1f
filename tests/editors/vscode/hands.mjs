// What a user does with mouse and keyboard in the workbench, as functions of a page.
import { until } from './workbench.mjs';

export class Hands {
  constructor(page) {
    this.page = page;
    this.quick = page.locator('.quick-input-widget');
    this.rows = page.locator('.quick-input-list .monaco-list-row');
  }

  /** Open a file through the explorer, its folders expanded on the way. */
  async open(...names) {
    const row = (name) => this.page.locator('.explorer-folders-view .monaco-list-row', { hasText: new RegExp(`^${name.replace('.', '\\.')}$`) }).first();
    await this.page.keyboard.press('Control+Shift+KeyE');
    const file = names.pop();
    // The list holds only what is on the screen.
    const top = row(names[0] ?? file);
    await top.waitFor({ timeout: 2000 }).catch(() => this.page.locator('[aria-label="Collapse Folders in Explorer"]').first().click());
    for (const [index, name] of names.entries()) {
      const next = names[index + 1] ?? file;
      const folder = row(name);
      await folder.waitFor({ timeout: 20000 });
      if ((await folder.getAttribute('aria-expanded')) !== 'true') await folder.click();
      await row(next).waitFor({ timeout: 30000 });
    }
    await row(file).dblclick();
    await this.page.waitForSelector(`.tab.active[data-resource-name="${file}"]`, { timeout: 20000 });
    await this.page.locator('.editor-instance .monaco-editor .view-line').first().waitFor({ timeout: 20000 });
  }

  /** Run a command through the palette. The quick input closes whenever an editor takes the focus, so try again. */
  async command(title) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.page.keyboard.press('F1');
        const input = this.quick.locator('input[type="text"]').first();
        await input.waitFor({ state: 'visible', timeout: 5000 });
        await input.fill(`>${title}`, { timeout: 3000 });
        // Not Enter: a moment after typing the list may still have another row selected.
        await this.rows.filter({ hasText: title }).first().click({ timeout: 5000 });
        return;
      } catch (error) {
        if (attempt === 3) throw error;
        await this.page.keyboard.press('Escape');
        await this.page.waitForTimeout(300);
      }
    }
  }

  /** Return where a text stands on the screen, undefined where it is not shown. */
  async at(needle, scope = '.editor-group-container.active .monaco-editor') {
    return this.page.evaluate(([needle, scope]) => {
      for (const line of document.querySelectorAll(`${scope} .view-line`)) {
        const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        const parts = [];
        let text = '';
        while (walker.nextNode()) { parts.push([text.length, walker.currentNode]); text += walker.currentNode.data; }
        const found = text.replace(/\u00a0/g, ' ').indexOf(needle);
        if (found < 0) continue;
        const middle = found + Math.floor(needle.length / 2);
        const [offset, node] = parts.filter(([start]) => start <= middle).at(-1);
        const range = document.createRange();
        range.setStart(node, middle - offset);
        range.setEnd(node, middle - offset + 1);
        const box = range.getBoundingClientRect();
        return { x: box.x + box.width / 2, y: box.y + box.height / 2, style: node.parentElement.className };
      }
      return undefined;
    }, [needle, scope]);
  }

  async click(needle) {
    const place = await until(() => this.at(needle), 10000);
    if (!place) throw new Error(`“${needle}” is not on the screen`);
    await this.page.mouse.click(place.x, place.y);
    return place;
  }

  async hover(needle) {
    const place = await until(() => this.at(needle), 10000);
    if (!place) throw new Error(`“${needle}” is not on the screen`);
    await this.page.mouse.move(place.x - 60, place.y);
    await this.page.mouse.move(place.x, place.y, { steps: 6 });
  }

  /** Move the mouse over a text until a hover says something: what stands where may change while the server starts. */
  hoverShows(needle, said) {
    return until(async () => {
      await this.hover(needle);
      return this.shown('.monaco-hover:not(.hidden)', { hasText: said, timeout: 3000 });
    }, 20000);
  }

  /** Wait for something to be shown; true where it came. */
  shown(selector, options = {}) {
    const wanted = this.page.locator(selector, options.hasText ? { hasText: options.hasText } : {}).first();
    return wanted.waitFor({ state: options.state ?? 'visible', timeout: options.timeout ?? 15000 }).then(() => true, () => false);
  }

  /** Return the texts of the rows of a view of ours. */
  async view(title) {
    const rows = this.page.locator(`.pane:has(.pane-header[aria-label*="${title}"]) .monaco-list-row`);
    return (await rows.allInnerTexts().catch(() => [])).map((text) => text.replace(/\s+/g, ' ').trim());
  }

  /** Return the text of our item in the status bar. */
  async status() {
    return (await this.page.locator('.statusbar-item[id*="memory.status"]').first().innerText().catch(() => '')).trim();
  }

  /** Begin to note each text that our item shows, since some are there for a moment only. */
  async recordStatus() {
    await this.page.evaluate(() => {
      clearInterval(window.memoryTimer);
      window.memoryTexts = [];
      window.memoryTimer = setInterval(() => {
        const text = document.querySelector('.statusbar-item[id*="memory.status"]')?.textContent?.trim();
        if (text && text !== window.memoryTexts.at(-1)) window.memoryTexts.push(text);
      }, 20);
    });
  }

  statuses() {
    return this.page.evaluate(() => window.memoryTexts ?? []);
  }

  async text() {
    return (await this.page.locator('body').innerText().catch(() => '')).slice(0, 300);
  }
}
