import type { DiffLine } from '../../src/protocol/messages.ts';
import { h } from './dom.ts';

/** Maximum number of lines; a browser would be slow with more. */
const MAX_LINES = 5_000;
const KEY = /^(\s*(?:- )*)((?!- )[^\s#'"][^:]*|"[^"]*"|'[^']*')(:)( .*)?$/;

/** YAML with highlighted keys, comments and values. */
export function yamlLines(yaml: string): HTMLElement {
  const lines = yaml.replace(/\n$/, '').split('\n');
  const shown = lines.slice(0, MAX_LINES).map((line) => h('span', { class: 'line' }, ...colouredYamlLine(line), '\n'));
  const rest = lines.length - MAX_LINES;
  return h('pre', { class: 'yaml', tabindex: '0' }, ...shown, ...(rest > 0 ? [`… ${rest} more lines`] : []));
}

const SIGNS = { same: ' ', added: '+', removed: '−', gap: '⋯', omitted: '⋯' } as const;

/** A diff. The sign has all the information, for those who do not see colours. */
export function changedYamlLines(changes: readonly DiffLine[]): HTMLElement {
  const lines = changes.slice(0, MAX_LINES).map(({ kind, text }) => {
    const sign = h('span', { class: 'sign', 'aria-hidden': kind === 'same' }, SIGNS[kind]);
    if (kind === 'omitted') return h('span', { class: 'line gap' }, sign, text, '\n');
    if (kind === 'gap') return h('span', { class: 'line gap' }, sign, `${text} unchanged lines`, '\n');
    return h('span', { class: `line ${kind}` }, sign, ...colouredYamlLine(text), '\n');
  });
  return h('pre', { class: 'yaml diff', tabindex: '0' }, ...lines);
}

function colouredYamlLine(line: string): (Node | string)[] {
  const found = KEY.exec(line);
  if (found === null) return [line.trimStart().startsWith('#') ? h('span', { class: 'comment' }, line) : line];
  const [, indent = '', key = '', colon = '', value = ''] = found;
  return [indent, h('span', { class: 'key' }, key), h('span', { class: 'colon' }, colon), ...yamlLineValue(value)];
}

function yamlLineValue(value: string): (Node | string)[] {
  const text = value.trim();
  if (text === '') return [value];
  if (/^\[\d+ characters, #[0-9a-f]{8}\]$/.test(text.replaceAll('"', '')))
    return [' ', h('span', { class: 'masked' }, text)];
  return [h('span', { class: /^(true|false|null|-?\d+(\.\d+)?)$/.test(text) ? 'literal' : 'value' }, value)];
}
