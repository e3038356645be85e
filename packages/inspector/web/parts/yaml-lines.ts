import type { DiffLine } from '../../src/protocol/messages.ts';
import { domElement } from './dom.ts';

/** Maximum number of lines; a browser would be slow with more. */
const MAX_LINES = 5_000;
const KEY = /^(\s*(?:- )*)((?!- )[^\s#'"][^:]*|"[^"]*"|'[^']*')(:)( .*)?$/;

/** YAML with highlighted keys, comments and values. */
export function yamlLines(yaml: string): HTMLElement {
  const lines = yaml.replace(/\n$/, '').split('\n');
  const shown = lines
    .slice(0, MAX_LINES)
    .map((line) => domElement('span', { class: 'line' }, ...colouredYamlLine(line), '\n'));
  const rest = lines.length - MAX_LINES;
  return domElement('pre', { class: 'yaml', tabindex: '0' }, ...shown, ...(rest > 0 ? [`… ${rest} more lines`] : []));
}

const SIGNS = { same: ' ', added: '+', removed: '−', gap: '⋯', omitted: '⋯' } as const;

/** A diff. The sign alone has all the information, for people who do not see colours. */
export function changedYamlLines(changes: readonly DiffLine[]): HTMLElement {
  const lines = changes.slice(0, MAX_LINES).map(({ kind, text }) => {
    const sign = domElement('span', { class: 'sign', 'aria-hidden': kind === 'same' }, SIGNS[kind]);
    if (kind === 'omitted') return domElement('span', { class: 'line gap' }, sign, text, '\n');
    if (kind === 'gap') return domElement('span', { class: 'line gap' }, sign, `${text} unchanged lines`, '\n');
    return domElement('span', { class: `line ${kind}` }, sign, ...colouredYamlLine(text), '\n');
  });
  return domElement('pre', { class: 'yaml diff', tabindex: '0' }, ...lines);
}

function colouredYamlLine(line: string): (Node | string)[] {
  const found = KEY.exec(line);
  if (found === null) return [line.trimStart().startsWith('#') ? domElement('span', { class: 'comment' }, line) : line];
  const [, indent = '', key = '', colon = '', value = ''] = found;
  return [
    indent,
    domElement('span', { class: 'key' }, key),
    domElement('span', { class: 'colon' }, colon),
    ...yamlLineValue(value),
  ];
}

function yamlLineValue(value: string): (Node | string)[] {
  const text = value.trim();
  if (text === '') return [value];
  if (/^\[\d+ characters, #[0-9a-f]{8}\]$/.test(text.replaceAll('"', '')))
    return [' ', domElement('span', { class: 'masked' }, text)];
  return [domElement('span', { class: /^(true|false|null|-?\d+(\.\d+)?)$/.test(text) ? 'literal' : 'value' }, value)];
}
