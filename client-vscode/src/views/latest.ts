/** Work that waits for a quiet moment, of which only the newest counts. */

import * as vscode from 'vscode';

export class Latest implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;
  private source: vscode.CancellationTokenSource | undefined;

  constructor(
    private readonly work: (token: vscode.CancellationToken) => Promise<void>,
    private readonly quiet: number,
  ) {}

  /** Run the work once nothing has been asked for a while; what still runs is cancelled now. */
  request(quiet = this.quiet): void {
    this.cancel();
    const source = new vscode.CancellationTokenSource();
    this.source = source;
    this.timer = setTimeout(() => void this.work(source.token).finally(() => source.dispose()), quiet);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.source?.cancel();
    this.source = undefined;
  }

  dispose(): void {
    this.cancel();
  }
}
