/** A new note as a file: its name, its place in the directory's layout, its first text. */

export type Layout = 'typed' | 'flat' | 'vault';

/** Return the file's path below the directory. */
export function notePath(layout: Layout, type: string, name: string): string {
  const stem = fileStem(name);
  if (layout === 'typed') {
    return `${type}/${stem}.md`;
  }
  return layout === 'flat' ? `${type}_${stem.replaceAll('-', '_')}.md` : `${stem}.md`;
}

/** Return a name as a file name that every system takes. */
export function fileStem(name: string): string {
  const stem = name
    .normalize('NFC')
    .toLowerCase()
    // Control characters, and what Windows or a link cannot hold.
    .replace(/[\u0000-\u001f<>:"/\\|?*#^[\]]+/g, ' ')
    .trim()
    .replace(/\s+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '');
  return /^(con|prn|aux|nul|com\d|lpt\d)$/.test(stem) ? `${stem}-note` : stem;
}

/** Return the note's text, with the cursor's place after it. */
export function noteText(type: string, name: string, description: string, today: string): string {
  const lines = [`name: ${yaml(name)}`, `description: ${yaml(description)}`, `type: ${yaml(type)}`, `created: ${today}`];
  return ['---', ...lines, '---', '', ''].join('\n');
}

/** Return why a name will not do, undefined where it will. */
export function nameProblem(name: string): string | undefined {
  if (!name.trim()) {
    return 'A memory needs a name.';
  }
  if (/[[\]|#^]/.test(name)) {
    return 'Links cannot hold any of [ ] | # ^.';
  }
  return fileStem(name) ? undefined : 'No file can bear this name.';
}

function yaml(value: string): string {
  if (!value) {
    return '';
  }
  // Words only, and neither a number nor a word that YAML reads as something else.
  const isPlain = /^\p{L}[\p{L}\p{N} _.,()/'-]*$/u.test(value) && !/^(true|false|yes|no|on|off|null|y|n)$/i.test(value);
  return isPlain && value === value.trim() ? value : JSON.stringify(value);
}
