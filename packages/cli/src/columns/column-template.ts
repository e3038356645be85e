import { KubeError } from 'kube-informer/core';
import { compileColumnJsonPath, type JsonPath } from './column-json-path.ts';

type Part = string | JsonPath | { readonly range: JsonPath; readonly parts: readonly Part[] };

/** Text in quotes, with the escapes of JSON. */
const QUOTED = /^"(?:[^"\\]|\\.)*"$/;

/**
 * Compiles a template in kubectl's syntax: text, `{.path}`, `{"\n"}` and `{range .items[*]}…{end}`. A
 * template without braces is a path.
 *
 * Throws INVALID_OPTION for anything else.
 */
export function compileColumnTemplate(template: string): (root: unknown) => string {
  const pieces = template.includes('{') ? template.split(/(\{[^{}]*\})/) : [`{${template}}`];
  const stack: { range?: JsonPath; parts: Part[] }[] = [{ parts: [] }];
  for (const piece of pieces) {
    const inner = piece.startsWith('{') ? piece.slice(1, -1).trim() : undefined;
    const top = stack.at(-1) as { parts: Part[] };
    if (inner === undefined) top.parts.push(piece);
    else if (inner.startsWith('range ')) stack.push({ range: compileColumnJsonPath(inner.slice(6)), parts: [] });
    else if (inner === 'end') {
      const { range, parts } = stack.pop() ?? { parts: [] };
      if (range === undefined) throw new KubeError('INVALID_OPTION', 'jsonpath: {end} without {range}');
      (stack.at(-1) as { parts: Part[] }).parts.push({ range, parts });
    } else top.parts.push(QUOTED.test(inner) ? columnTemplateText(inner) : compileColumnJsonPath(inner));
  }
  if (stack.length > 1) throw new KubeError('INVALID_OPTION', 'jsonpath: {range} without {end}');
  return (root) => writeColumnTemplate(stack[0]?.parts ?? [], root);
}

function columnTemplateText(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch (cause) {
    throw new KubeError('INVALID_OPTION', `jsonpath: expected a text with the escapes of JSON, got ${quoted}`, {
      cause,
    });
  }
}

function writeColumnTemplate(parts: readonly Part[], root: unknown): string {
  const written = parts.map((part) => {
    if (typeof part === 'string') return part;
    if (typeof part === 'function') return part(root).map(columnTemplateValue).join(' ');
    return part.range(root).map((item) => writeColumnTemplate(part.parts, item)).join(''); // prettier-ignore
  });
  return written.join('');
}

const columnTemplateValue = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
