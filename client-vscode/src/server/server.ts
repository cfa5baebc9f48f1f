/** The server's life: found, started, started again when it goes away, stopped. */

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { STATUS, type Status } from '../protocol';
import { Backoff, MOST_RESTARTS } from './backoff';
import { makeClient } from './client';
import { findServer, type Launch, type Machine, type Missing } from './find';

export type State =
  | { kind: 'starting' }
  | { kind: 'running'; status: Status | undefined }
  | { kind: 'waiting'; attempt: number; seconds: number }
  | { kind: 'stopped'; reason: string }
  | { kind: 'missing'; reason: string };

export class Server implements vscode.Disposable {
  launch: Launch | undefined;
  state: State = { kind: 'starting' };
  private client: LanguageClient | undefined;
  private generation = 0;
  private attempts = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly backoff = new Backoff();
  private readonly changed = new vscode.EventEmitter<State>();
  readonly onChange = this.changed.event;

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly machine: () => Machine,
    private readonly offer: (missing: Missing) => Promise<boolean>,
  ) {}

  /** The client while it is connected. */
  get connected(): LanguageClient | undefined {
    return this.state.kind === 'running' ? this.client : undefined;
  }

  get status(): Status | undefined {
    return this.state.kind === 'running' ? this.state.status : undefined;
  }

  /** Wait while it is being started, and until it has said what it serves; true once it runs. */
  async started(): Promise<boolean> {
    while (this.state.kind === 'starting' || (this.state.kind === 'running' && !this.state.status)) {
      await new Promise<void>((resolve) => {
        const listener = this.onChange(() => (listener.dispose(), resolve()));
      });
    }
    return this.state.kind === 'running';
  }

  /** Ask the server; undefined where it does not run. Rejects with the server's own error. */
  async ask<T>(method: string, params: object, token?: vscode.CancellationToken): Promise<T | undefined> {
    // A token that is undefined would be sent as a second parameter.
    return token
      ? this.connected?.sendRequest<T>(method, params, token)
      : this.connected?.sendRequest<T>(method, params);
  }

  /** Start it anew, whatever was before. */
  async restart(): Promise<void> {
    this.backoff.reset();
    this.attempts = 0;
    await this.start();
  }

  /** Start it where it does not run, or where another program is to run now. */
  async refresh(): Promise<void> {
    const found = await findServer(this.machine());
    const isSame = 'command' in found && found.command === this.launch?.command;
    if (this.state.kind !== 'running' || !isSame) {
      await this.restart();
    }
  }

  async stop(): Promise<void> {
    this.generation += 1;
    clearTimeout(this.timer);
    const client = this.client;
    this.client = undefined;
    // A client that never came up refuses to stop.
    await client?.dispose().catch((error: unknown) => this.log.debug(`stopping: ${String(error)}`));
  }

  dispose(): void {
    void this.stop();
    this.changed.dispose();
  }

  private async start(): Promise<void> {
    await this.stop();
    const mine = this.generation;
    this.become({ kind: 'starting' });
    const found = await findServer(this.machine());
    if (mine !== this.generation) {
      return;
    }
    if (!('command' in found)) {
      this.launch = undefined;
      this.log.warn(found.reason);
      this.become({ kind: 'missing', reason: found.reason });
      // Not awaited: a message waits for its reader.
      void this.offer(found).then((isThere) => (isThere ? this.restart() : undefined));
      return;
    }
    this.launch = found;
    this.log.info(`Starting ${found.command} ${found.args.join(' ')} (found ${found.origin}).`);
    await this.run(found, mine);
  }

  private async run(launch: Launch, mine: number): Promise<void> {
    let isOver = false;
    const over = () => {
      if (!isOver && mine === this.generation) {
        isOver = true;
        this.ended();
      }
    };
    const client = makeClient(launch, this.log, over);
    this.client = client;
    client.onNotification(STATUS, (status: Status) => {
      if (mine === this.generation) {
        this.become({ kind: 'running', status });
      }
    });
    try {
      await client.start();
      if (mine === this.generation && !isOver && this.state.kind === 'starting') {
        this.become({ kind: 'running', status: undefined });
      }
    } catch (error) {
      this.log.error(`The server did not start: ${String(error)}`);
      over();
    }
  }

  private ended(): void {
    const delay = this.backoff.next();
    if (delay === undefined) {
      const reason = `The server went away ${MOST_RESTARTS + 1} times within three minutes and is not started again.`;
      this.log.error(reason);
      this.become({ kind: 'stopped', reason });
      return;
    }
    this.attempts += 1;
    this.log.warn(`The server went away; it is started again in ${delay / 1000} s.`);
    this.become({ kind: 'waiting', attempt: this.attempts, seconds: delay / 1000 });
    this.timer = setTimeout(() => void this.start(), delay);
  }

  private become(state: State): void {
    this.state = state;
    this.changed.fire(state);
  }
}
