import { type ApiResource, discoveryDocumentName } from './discovery-documents.ts';

type Named = Pick<ApiResource, 'group' | 'version' | 'resource' | 'kind'> & { readonly singular?: string };

/** Length from which a word may have two letters that are wrong, missing or too many; a shorter one may have one. */
const LONG_WORD = 8;
const MAX_NAMES = 3;

/**
 * Resources that may be meant by a name that is not served: those with the same word in another group or
 * version, in singular or plural, otherwise those whose word has a typing mistake.
 */
export function similarNames(name: string, all: readonly Named[]): readonly string[] {
  const word = name.split('/').at(-1)?.split('.')[0]?.toLowerCase() ?? '';
  const same = all.filter((one) => similarNamesOfResource(one).includes(word));
  return firstSimilarNames(same.length > 0 ? same : misspeltSimilarNames(word, all));
}

function misspeltSimilarNames(word: string, all: readonly Named[]): readonly Named[] {
  const most = word.length >= LONG_WORD ? 2 : 1;
  for (let edits = 1; edits <= most; edits += 1) {
    const near = all.filter((one) => similarNamesOfResource(one).some((other) => isSimilarWithin(edits, word, other)));
    if (near.length > 0) return near;
  }
  return [];
}

const similarNamesOfResource = ({ resource, singular = '', kind }: Named): string[] => [
  resource,
  singular,
  kind.toLowerCase(),
];

const firstSimilarNames = (all: readonly Named[]): string[] =>
  [...new Set(all.map(discoveryDocumentName))].slice(0, MAX_NAMES);

/** Whether changing, adding or removing at most `edits` letters turns one word into the other. */
function isSimilarWithin(edits: number, a: string, b: string): boolean {
  if (a === b) return true;
  if (edits === 0 || Math.abs(a.length - b.length) > edits) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  return (
    isSimilarWithin(edits - 1, restA.slice(1), restB.slice(1)) ||
    isSimilarWithin(edits - 1, restA.slice(1), restB) ||
    isSimilarWithin(edits - 1, restA, restB.slice(1))
  );
}
