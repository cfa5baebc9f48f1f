/** When to start a server again that went away: soon, then ever later, and at some point no more. */

export const MOST_RESTARTS = 5;
export const WINDOW = 3 * 60_000;
const DELAYS = [500, 1_000, 2_000, 4_000, 8_000];

export class Backoff {
  private ends: number[] = [];

  constructor(private readonly now: () => number = Date.now) {}

  /** Note that the server went away; return the milliseconds to wait, undefined where it is enough. */
  next(): number | undefined {
    const now = this.now();
    this.ends = this.ends.filter((end) => now - end < WINDOW);
    if (this.ends.length >= MOST_RESTARTS) {
      return undefined;
    }
    this.ends.push(now);
    return DELAYS[this.ends.length - 1] ?? 8_000;
  }

  /** Forget what happened, since the user asked for a start. */
  reset(): void {
    this.ends = [];
  }
}
