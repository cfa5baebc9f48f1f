// Stands in for the module `vscode`: what the tested parts use is explicit, everything else an empty class.
class EventEmitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener) => {
      this.listeners.add(listener);
      return { dispose: () => this.listeners.delete(listener) };
    };
  }

  fire(value) {
    for (const listener of this.listeners) {
      listener(value);
    }
  }

  dispose() {
    this.listeners.clear();
  }
}

class CancellationTokenSource {
  constructor() {
    this.token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
  }

  cancel() {
    this.token.isCancellationRequested = true;
  }

  dispose() {}
}

class TreeItem {
  constructor(label, collapsibleState = 0) {
    this.label = label;
    this.collapsibleState = collapsibleState;
  }
}

class ThemeIcon {
  constructor(id) {
    this.id = id;
  }
}

class Uri {
  constructor(scheme, path) {
    this.scheme = scheme;
    this.path = path;
  }

  static file(path) {
    return new Uri('file', path);
  }

  static parse(text) {
    const { protocol, pathname } = new URL(text);
    return new Uri(protocol.slice(0, -1), decodeURIComponent(pathname));
  }

  static joinPath(uri, ...parts) {
    return new Uri(uri.scheme, [uri.path, ...parts].join('/'));
  }

  get fsPath() {
    return this.path;
  }

  toString() {
    return `${this.scheme}://${this.path.split('/').map(encodeURIComponent).join('/')}`;
  }
}

const disposable = () => ({ dispose() {} });
// Answers any `onDid…` that is asked for with an event that never comes.
const withEvents = (known) =>
  new Proxy(known, { get: (target, key) => target[key] ?? (/^on[A-Z]/.test(String(key)) ? disposable : undefined) });

const state = { settings: {}, files: {}, directories: {}, commands: [], registered: new Map() };
const known = {
  __state: state,
  version: '1.91.0',
  EventEmitter,
  CancellationTokenSource,
  TreeItem,
  ThemeIcon,
  Uri,
  FileType: { File: 1, Directory: 2 },
  TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
  Disposable: class {
    static from(...all) {
      return { dispose: () => all.forEach((each) => each.dispose()) };
    }
  },
  env: { language: 'en', appName: 'test' },
  extensions: { getExtension: () => undefined },
  commands: {
    executeCommand: async (...call) => void state.commands.push(call),
    registerCommand: (id, run) => (state.registered.set(id, run), disposable()),
  },
  window: withEvents({ createTreeView: () => withEvents({ visible: true, dispose() {} }) }),
  workspace: withEvents({
    isTrusted: true,
    textDocuments: [],
    asRelativePath: (uri) => uri.path ?? uri,
    getConfiguration: () => ({ get: (key, fallback) => state.settings[key] ?? fallback }),
    createFileSystemWatcher: () => withEvents({ dispose() {} }),
    fs: {
      readDirectory: async ({ path }) => {
        if (!state.directories[path]) {
          throw new Error('not found');
        }
        return state.directories[path];
      },
    },
  }),
};
module.exports = new Proxy(known, { get: (target, key) => (target[key] ??= class {}) });
