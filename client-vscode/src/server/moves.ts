/** File moves that are part of an edit of the server's own.
 *
 * VS Code asks before every move which edits belong to it, also when the server's rename makes the move. The edits of
 * such a rename are complete; asking again would show the user a question, and apply edits twice.
 */

interface Move {
  kind?: string;
  oldUri?: string;
  newUri?: string;
}

const FORGOTTEN = 10_000;

export class OwnMoves {
  private readonly expected = new Map<string, number>();

  constructor(private readonly now: () => number = Date.now) {}

  /** Pass a request on, note the moves in its answer, and answer for VS Code where a move was noted before. */
  async pass<P, R>(type: string | { method: string }, params: P | undefined, next: (params?: P) => Promise<R>): Promise<R> {
    const method = typeof type === 'string' ? type : type.method;
    if (method === 'workspace/willRenameFiles' && this.areOwn(params)) {
      return null as R;
    }
    const answer = await next(params);
    for (const { kind, oldUri, newUri } of movesIn(answer)) {
      if (kind === 'rename') {
        this.expected.set(key(oldUri, newUri), this.now());
      }
    }
    return answer;
  }

  private areOwn(params: unknown): boolean {
    const files = (params as { files?: Move[] } | undefined)?.files ?? [];
    const keys = files.map(({ oldUri, newUri }) => key(oldUri, newUri));
    const areOwn = keys.every((each) => this.now() - (this.expected.get(each) ?? -FORGOTTEN) < FORGOTTEN);
    keys.forEach((each) => this.expected.delete(each));
    return files.length > 0 && areOwn;
  }
}

function movesIn(answer: unknown): Move[] {
  const { documentChanges, edit } = (answer ?? {}) as { documentChanges?: Move[]; edit?: { documentChanges?: Move[] } };
  return documentChanges ?? edit?.documentChanges ?? [];
}

/** VS Code writes the same URI with other escapes than the server. */
function key(oldUri = '', newUri = ''): string {
  return [oldUri, newUri].map((uri) => decodeURIComponent(uri)).join('\n');
}
