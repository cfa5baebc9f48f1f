/** A note as the commands take it from a view or a quick pick. */

export interface NoteRef {
  id: string;
  name: string;
  uri: string;
}

/** The icon of each type. */
export const ICONS: Record<string, string> = {
  user: 'account',
  feedback: 'feedback',
  project: 'project',
  reference: 'book',
};

/** Return the note that a command was given; views hand over their elements. */
export function noteOf(argument: unknown): NoteRef | undefined {
  const note = (argument as { note?: unknown } | undefined)?.note ?? argument;
  const { id, name, uri } = (note ?? {}) as Partial<NoteRef>;
  return typeof id === 'string' && typeof name === 'string' ? { id, name, uri: uri ?? '' } : undefined;
}

/** Return a link to a note. A name that a link cannot hold gives way to the file's stem. */
export function linkTo(note: NoteRef): string {
  const stem = decodeURIComponent(note.uri.split('/').pop() ?? '').replace(/\.md$/i, '');
  return `[[${/[[\]|#^\n]/.test(note.name) && stem ? stem : note.name}]]`;
}
