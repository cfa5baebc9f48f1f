/** Wikilinks in the built-in markdown preview: a markdown-it rule, so code stays code. */

import type MarkdownIt from 'markdown-it';

/** Where a link leads, as an address relative to the document; undefined while that is not known. */
export type Resolve = (env: unknown, raw: string) => string | undefined;

interface Parts {
  target: string;
  label: string;
}

/** Teach markdown-it `[[x]]`, `[[x|y]]` and `![[x]]`. */
export function wikilinks(md: MarkdownIt, resolve: Resolve): MarkdownIt {
  md.inline.ruler.before('link', 'wikilink', (state, silent) => {
    const { src, pos } = state;
    const isEmbed = src[pos] === '!';
    const found = /^!?\[\[([^[\]\n]+)\]\]/.exec(src.slice(pos, pos + 1000));
    const parts = found?.[1] ? split(found[1]) : undefined;
    if (!found?.[1] || !parts) {
      return false;
    }
    if (!silent) {
      state.push('wikilink_open', 'a', 1).meta = { raw: found[1], target: parts.target, isEmbed };
      state.push('text', '', 0).content = parts.label;
      state.push('wikilink_close', 'a', -1);
    }
    state.pos += found[0].length;
    return true;
  });
  // Only here, since VS Code keeps the tokens and tells just the renderer which document it is about.
  md.renderer.rules.wikilink_open = (tokens, index, options, env, self) => {
    const token = tokens[index]!;
    const { raw, target, isEmbed } = token.meta as { raw: string; target: string; isEmbed: boolean };
    const resolved = resolve(env, raw);
    const href = resolved ?? fallback(target);
    const classes = ['memory-wikilink', ...(resolved === undefined ? ['memory-unknown'] : []), ...(isEmbed ? ['memory-embed'] : [])];
    token.attrs = [['href', href], ['data-href', href], ['class', classes.join(' ')]];
    return self.renderToken(tokens, index, options);
  };
  return md;
}

/** Return a link's target and what is shown for it; undefined for one without a target. */
export function split(raw: string): Parts | undefined {
  const [target = '', ...label] = raw.split(/\\?\|/);
  const shown = label.join('|').trim() || target.trim().replace(/^#\^?/, '').replace(/#\^?/, ' › ');
  return target.trim() && shown ? { target: target.trim(), label: shown } : undefined;
}

/** Return an anchor as the preview names headings. */
export function slug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/\s+/g, '-')
    .replace(/[^\p{L}\p{N}_-]/gu, '');
}

function fallback(target: string): string {
  const [note = '', heading] = target.split('#', 2);
  const file = note && (/\.\w{1,5}$/.test(note) ? note : `${note}.md`);
  const anchor = heading && !heading.startsWith('^') ? `#${slug(heading)}` : '';
  return encodeURI(file) + anchor;
}
