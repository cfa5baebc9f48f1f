import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Api } from '../../src/extension';
import { RELATED, RETRIEVE, type Retrieval } from '../../src/protocol';
import { look } from '../../src/status/text';

/** Wait until something is there; rejects with what it was last. */
async function until<T>(ask: () => T | undefined | false | Thenable<T | undefined | false>, what: string): Promise<T> {
  for (const end = Date.now() + 30_000; Date.now() < end; ) {
    const answer = await ask();
    if (answer) {
      return answer;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`waited in vain: ${what}`);
}

describe('the extension in its host', () => {
  const [project, flat] = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri) as [vscode.Uri, vscode.Uri];
  const inMemory = (...parts: string[]) => vscode.Uri.joinPath(project, 'memory', ...parts);
  const plan = inMemory('project', 'onboarding-plan.md');
  let api: Api;

  /** Return the place in the middle of a text. */
  async function placeOf(uri: vscode.Uri, needle: string): Promise<vscode.Position> {
    const document = await vscode.workspace.openTextDocument(uri);
    return document.positionAt(document.getText().indexOf(needle) + Math.floor(needle.length / 2));
  }

  const codes = (uri: vscode.Uri) => vscode.languages.getDiagnostics(uri).map(({ code }) => (code as { value: string }).value);

  before(async () => {
    const extension = vscode.extensions.getExtension<Api>('memory-lsp.memory-lsp');
    assert.ok(extension);
    api = await extension.activate();
    await until(() => api.server.status?.quiescent && api.server.status.directories.length === 2, 'a ready server');
  });

  it('serves both folders of the workspace', () => {
    const served = api.server.status?.directories.map(({ path }) => path).sort();
    assert.deepEqual(served, [inMemory().fsPath, flat.fsPath].sort());
  });

  it('publishes diagnostics that say where they are explained', async () => {
    await vscode.window.showTextDocument(plan);
    await until(() => codes(plan).includes('dangling-link'), 'the dangling link');
    const found = vscode.languages.getDiagnostics(plan).find(({ message }) => message.includes('load-test-results'));
    assert.equal(found?.source, 'memory');
    assert.equal(found?.severity, vscode.DiagnosticSeverity.Warning);
  });

  it('hovers with links that lead to notes', async () => {
    const at = await placeOf(plan, '[[skerryline]]');
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', plan, at);
    const text = hovers.flatMap(({ contents }) => contents.map((each) => (each as vscode.MarkdownString).value)).join('\n');
    const address = /\[skerryline\]\((file:[^)]+)\)/.exec(text)?.[1] ?? '';
    await vscode.workspace.fs.stat(vscode.Uri.parse(address));
  });

  it('goes to a heading', async () => {
    const at = await placeOf(plan, '[[timetable-feed#Fallback]]');
    const [found] = await vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[]>(
      'vscode.executeDefinitionProvider', plan, at,
    );
    assert.ok(found);
    const [uri, range] = 'uri' in found ? [found.uri, found.range] : [found.targetUri, found.targetRange];
    const document = await vscode.workspace.openTextDocument(uri);
    assert.match(document.lineAt(range.start.line).text, /Fallback/);
  });

  it('completes names', async () => {
    const at = (await placeOf(plan, '[[skerryline]]')).translate(0, -5);
    const list = await vscode.commands.executeCommand<vscode.CompletionList>('vscode.executeCompletionItemProvider', plan, at);
    const labels = list.items.map(({ label }) => (typeof label === 'string' ? label : label.label));
    assert.ok(labels.includes('glossary'), labels.join());
  });

  it('shows code lenses whose click lists places', async () => {
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', plan, 10);
    const backlinks = lenses.map(({ command }) => command).find((each) => /1 backlink/.test(each?.title ?? ''));
    assert.equal(backlinks?.command, 'memory.showLocations');
    await vscode.commands.executeCommand(backlinks.command, ...(backlinks.arguments ?? []));
    await until(() => vscode.window.activeTextEditor?.document.uri.path.endsWith('/MEMORY.md'), 'the only backlink');
  });

  it('offers to make a missing note', async () => {
    const at = await placeOf(plan, '[[load-test-results]]');
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider', plan, new vscode.Range(at, at),
    );
    assert.ok(actions.some(({ title }) => /Create/.test(title)), actions.map(({ title }) => title).join());
  });

  it('finds symbols, links and folds', async () => {
    const symbols = await vscode.commands.executeCommand<vscode.SymbolInformation[]>(
      'vscode.executeWorkspaceSymbolProvider', 'prefbrev',
    );
    assert.ok(symbols.some(({ name }) => name === 'prefers-brevity'));
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>('vscode.executeLinkProvider', plan);
    assert.ok(links.some(({ target }) => target?.path.endsWith('/glossary.md')));
  });

  it('retrieves from the directory that is named', async () => {
    const ask = (directory: vscode.Uri) =>
      api.server.ask<Retrieval>(RETRIEVE, { query: 'no mocks in tests', memoryDirectory: directory.fsPath });
    const [here, there] = [await ask(inMemory()), await ask(flat)];
    assert.ok(here?.results.some(({ name }) => name === 'no-mocked-database'));
    assert.ok(there?.results.length && there.results.every(({ uri }) => uri.startsWith(flat.toString())));
  });

  it('knows what belongs to a place in code, and is quiet elsewhere', async () => {
    const ask = (text: string) =>
      api.server.ask<Retrieval>(RELATED, {
        textDocument: { uri: vscode.Uri.joinPath(project, 'src', 'other.py').toString() },
        position: { line: 40, character: 0 }, text, firstLine: 40,
      });
    const near = await until(async () => {
      const answer = await ask('# never mock the database in tests of the importer, use a real Postgres');
      return answer?.results.some(({ name }) => name === 'no-mocked-database') && answer;
    }, 'a related note');
    assert.notEqual(near.seedMode, 'keyword');
    assert.deepEqual((await ask('x = 1'))?.results ?? [], []);
  });

  it('follows what is typed, and a note that appears on disk', async () => {
    const editor = await vscode.window.showTextDocument(inMemory('project', 'cache-headers.md'));
    const { uri, lineCount } = editor.document;
    await editor.edit((edit) => edit.insert(new vscode.Position(lineCount, 0), '\nSee [[made-outside]].\n'));
    await until(() => codes(uri).includes('dangling-link'), 'a finding');
    await vscode.workspace.fs.writeFile(inMemory('project', 'made-outside.md'), new TextEncoder().encode('# Made outside\n'));
    await until(() => !codes(uri).includes('dangling-link'), 'no finding');
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('renames a note with its links, without a question', async () => {
    const at = await placeOf(plan, '[[glossary]]');
    const edit = await vscode.commands.executeCommand<vscode.WorkspaceEdit>(
      'vscode.executeDocumentRenameProvider', plan, at, 'words',
    );
    assert.ok(edit.size >= 3, String(edit.size));
    assert.ok(await vscode.workspace.applyEdit(edit, { isRefactoring: true }));
    await vscode.workspace.saveAll();
    const text = await vscode.workspace.fs.readFile(inMemory('reference', 'words.md'));
    assert.match(new TextDecoder().decode(text), /^---\nname: words\n/);
    const index = await vscode.workspace.fs.readFile(inMemory('MEMORY.md'));
    assert.match(new TextDecoder().decode(index), /\(reference\/words\.md\)/);
  });

  it('takes a setting at once', async () => {
    const configuration = vscode.workspace.getConfiguration('memory');
    await until(() => codes(plan).includes('dangling-link'), 'the finding');
    await configuration.update('diagnostics', { 'dangling-link': 'off' }, vscode.ConfigurationTarget.Workspace);
    await until(() => !codes(plan).includes('dangling-link'), 'no finding');
    await configuration.update('diagnostics', undefined, vscode.ConfigurationTarget.Workspace);
    await until(() => codes(plan).includes('dangling-link'), 'the finding again');
  });

  it('follows links in comments of code where a setting allows it', async () => {
    const code = vscode.Uri.joinPath(project, 'src', 'linked.py');
    const text = 'x = "# [[glossary]]"\n# see [[no-mocked-database]] and [[written-nowhere]]\n';
    await vscode.workspace.fs.writeFile(code, new TextEncoder().encode(text));
    await vscode.window.showTextDocument(code);
    assert.deepEqual(codes(code), []);
    const configuration = vscode.workspace.getConfiguration('memory');
    await configuration.update('links.languages', ['python'], vscode.ConfigurationTarget.Workspace);
    await until(() => codes(code).includes('dangling-link'), 'the dangling link');
    assert.equal(vscode.languages.getDiagnostics(code).length, 1);
    const at = await placeOf(code, '[[no-mocked-database]]');
    const [found] = await vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[]>(
      'vscode.executeDefinitionProvider', code, at,
    );
    assert.ok(found);
    assert.match(('uri' in found ? found.uri : found.targetUri).path, /no-mocked-database\.md$/);
    await configuration.update('links.languages', undefined, vscode.ConfigurationTarget.Workspace);
    await until(() => !codes(code).length && api.server.status?.quiescent, 'a server without the setting');
  });

  it('says keywords only where the model is switched off', async () => {
    const configuration = vscode.workspace.getConfiguration('memory');
    await configuration.update('embedding.backend', 'none', vscode.ConfigurationTarget.Workspace);
    await until(() => /keywords only/.test(look(api.server.state).text), 'the state');
    await configuration.update('embedding.backend', undefined, vscode.ConfigurationTarget.Workspace);
    await until(() => /Memory: \d+ notes$/.test(look(api.server.state).text), 'the other state');
  });

  it('restarts when asked to', async () => {
    await vscode.commands.executeCommand('memory.restartServer');
    await until(() => api.server.status?.quiescent && api.server.status.directories.length === 2, 'a ready server');
    await until(() => codes(plan).includes('dangling-link'), 'the finding again');
  });

  it('says that a program which is not there is missing', async () => {
    const configuration = vscode.workspace.getConfiguration('memory');
    await configuration.update('server.path', '/nowhere/memory-lsp', vscode.ConfigurationTarget.Workspace);
    await until(() => api.server.state.kind === 'missing', 'the state');
    await configuration.update('server.path', undefined, vscode.ConfigurationTarget.Workspace);
    await until(() => api.server.status?.quiescent, 'a ready server');
  });
});
