/** Where a note's title stands: references asked there are the note's backlinks. */

interface Lines {
  lineCount: number;
  lineAt(line: number): { text: string };
}

/** Return a position that stands for the note as a whole. */
export function titlePosition(document: Lines): { line: number; character: number } {
  if (document.lineAt(0).text.trimEnd() === '---') {
    return { line: 0, character: 0 };
  }
  for (let line = 0; line < document.lineCount; line += 1) {
    const heading = /^ {0,3}# +(?=\S)/.exec(document.lineAt(line).text);
    if (heading) {
      return { line, character: heading[0].length };
    }
  }
  const last = document.lineCount - 1;
  return { line: last, character: document.lineAt(last).text.length };
}
