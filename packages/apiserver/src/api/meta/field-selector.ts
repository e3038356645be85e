import type { ApiObject } from '../../core/kube-object.ts';
import { badRequestStatusError } from '../../core/status-error.ts';
import type { FieldLookup, FieldReader } from './field-lookup.ts';
import { selectorWork } from './selector-work.ts';
import { pathSegmentSyntaxComplaints } from './name-syntax.ts';

/** Selects objects by fields that their kind names. */
export interface FieldSelector {
  /** Equal for equivalent selectors. */
  readonly text: string;
  readonly everything: boolean;
  matches(object: ApiObject): boolean;
  /** The single name that it selects (`metadata.name=x`), if that is a possible name. */
  readonly name: string | undefined;
  readonly namespace: string | undefined;
}

interface Term {
  readonly field: string;
  readonly isEqual: boolean;
  readonly value: string;
  readonly read: FieldReader;
}

/**
 * Reads a `fieldSelector`: terms `field=value`, `field==value` or `field!=value` between commas, all of which
 * must hold. In a value, `\`, `,` and `=` are written with a backslash before them. Throws a 400 with the
 * server's message.
 */
export function parseFieldSelector(text: string, supported: FieldLookup): FieldSelector {
  // Sorted first, as the server does: of two mistakes it reports the one that sorts first.
  const given = splitFieldSelectorTerms(text)
    .sort()
    .filter((term) => term !== '');
  selectorWork().spend(given.length);
  const terms = given
    .map((term) => splitFieldSelectorTerm(term, text))
    .map((term) => ({ ...term, read: fieldSelectorReader(term.field, supported) }));
  const pinned = (field: string): string | undefined =>
    terms.find((term) => term.isEqual && term.field === field)?.value;
  return {
    text: terms.map(fieldSelectorTermText).join(','),
    everything: terms.length === 0,
    matches: (object) => terms.every(({ read, value, isEqual }) => (read(object) === value) === isEqual),
    name: fieldSelectorSegment(pinned('metadata.name')),
    namespace: fieldSelectorSegment(pinned('metadata.namespace')),
  };
}

/** The single name that a selector selects, without knowing the resource. */
export const nameInFieldSelector = (selector: string): string | undefined =>
  /(?:^|,)metadata\.name==?([^,=!]+)(?:,|$)/.exec(selector)?.[1];

function splitFieldSelectorTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text.charAt(at) === '\\') at++;
    else if (text.charAt(at) === ',') {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function splitFieldSelectorTerm(term: string, selector: string): Omit<Term, 'read'> {
  const found = /!=|==?/.exec(term);
  if (found === null) throw badRequestStatusError(`invalid selector: '${selector}'; can't understand '${term}'`);
  const [operator] = found;
  return {
    field: term.slice(0, found.index),
    isEqual: operator !== '!=',
    value: unescapeFieldSelectorValue(term.slice(found.index + operator.length)),
  };
}

function unescapeFieldSelectorValue(text: string): string {
  let value = '';
  let isEscaped = false;
  for (const character of text) {
    if (isEscaped) {
      if (!'\\,='.includes(character)) throw invalidFieldSelectorEscape(`\\${character}`);
      value += character;
      isEscaped = false;
    } else if (character === '\\') {
      isEscaped = true;
    } else if (character === ',' || character === '=') {
      // The server shows the number of the character, not the character.
      const number = character.charCodeAt(0);
      throw badRequestStatusError(`invalid field selector: unescaped character in value: ${number}`);
    } else {
      value += character;
    }
  }
  if (isEscaped) throw invalidFieldSelectorEscape('\\');
  return value;
}

const invalidFieldSelectorEscape = (sequence: string): Error =>
  badRequestStatusError(`invalid field selector: invalid escape sequence: ${sequence}`);

function fieldSelectorReader(field: string, supported: FieldLookup): FieldReader {
  const read = supported.reader(field);
  if (read === undefined) throw badRequestStatusError(supported.unsupported(field));
  return read;
}

const fieldSelectorTermText = ({ field, isEqual, value }: Term): string =>
  `${field}${isEqual ? '=' : '!='}${value.replace(/[\\,=]/g, '\\$&')}`;

const fieldSelectorSegment = (value: string | undefined): string | undefined =>
  value === undefined || value === '' || pathSegmentSyntaxComplaints(value).length > 0 ? undefined : value;
