const MAX_WIDTH = 110;

/**
 * A description as a doc comment, indented; empty for a schema without one.
 *
 * Room rule: nothing of a description can end the comment or hide in it. Line breaks are those of this function.
 */
export function commentText(description: unknown, indent = ''): string {
  if (typeof description !== 'string') return '';
  const lines = description
    .replaceAll('*/', String.raw`*\/`)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu, ' ').trim())
    .flatMap((line) => wrapComment(line, MAX_WIDTH - indent.length));
  while (lines[0] === '') lines.shift();
  while (lines.at(-1) === '') lines.pop();
  if (lines.length === 0) return '';
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

function wrapComment(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(/ +/)) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (longer.length > width && current !== '') {
      lines.push(current);
      current = word;
    } else current = longer;
  }
  return [...lines, current];
}
