/** One connection to one server process. */

import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  type ClientCapabilities,
  type DocumentSelector,
  type LanguageClientOptions,
  type StaticFeature,
} from 'vscode-languageclient/node';
import * as vscode from 'vscode';
import { SHOW_LOCATIONS } from '../protocol';
import type { Launch } from './find';
import { SAFE_PYTHON } from './machine';
import { OwnMoves } from './moves';

/** Return which documents the server gets: notes, and the languages in whose comments links to notes count. */
export function selector(): DocumentSelector {
  const languages = vscode.workspace.getConfiguration('memory').get('links.languages', [] as string[]);
  return languages.includes('*')
    ? [{ scheme: 'file' }]
    : ['markdown', ...languages].map((language) => ({ scheme: 'file', language }));
}

/** Make a client that starts the server when it is started; `onClosed` is told when the server goes away by itself. */
export function makeClient(launch: Launch, log: vscode.LogOutputChannel, onClosed: () => void): LanguageClient {
  const moves = new OwnMoves();
  const options: LanguageClientOptions = {
    documentSelector: selector(),
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    progressOnInitialization: false,
    middleware: { sendRequest: (type, params, token, next) => moves.pass(type, params, (sent) => next(type, sent, token)) },
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        onClosed();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
  };
  const run = { command: launch.command, args: launch.args, options: { env: { ...process.env, ...SAFE_PYTHON } } };
  const client = new QuietClient('memory', 'Memory', run, options);
  client.registerFeature(new Experimental());
  return client;
}

/** Logs what goes wrong without a pop-up for each: the status bar says how the server is. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Tells the server what this client can do beyond LSP. */
export class Experimental implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.experimental = {
      ...capabilities.experimental,
      memoryStatus: true,
      commands: { commands: [SHOW_LOCATIONS] },
    };
  }

  initialize(): void {}

  getState(): { kind: 'static' } {
    return { kind: 'static' };
  }

  clear(): void {}
}
