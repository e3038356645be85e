/**
 * A reader who knows words only: guesses the file of a function from its name and the paths of all files.
 *
 * Each word of the name counts as much as it is rare (in the paths, and in the names of functions: `text` says little
 * anywhere), most where it is in the name of the file and least where it is in the name of the package. A file whose
 * whole name is in the function's name gains for each of its words, and a little more when they are in its order.
 */

/** A function and the file it is in. */
export interface NamedFunction {
  readonly name: string;
  readonly path: string;
}

/** The guesses of the reader for one function. */
export interface Reading extends NamedFunction {
  /** The files that fit best, usually one. Empty when no word of the name is in any path. */
  readonly files: readonly string[];
  /** The chance that a guess among them names the right file. */
  readonly file: number;
  /** The chance that it names the right room: the folder of the file. */
  readonly room: number;
}

/** Words that do not tell one path from another. */
const STOP_WORDS = new Set(
  'a all an and any are as at be by each for from get has have if in is it its no not of on one or set that the this to with'.split(
    ' ',
  ),
);

/**
 * Words that keep their ending, because it changes their meaning: a selector is not a selection, a server is not what
 * is served.
 */
const TERMS = new Set(['collector', 'container', 'controller', 'error', 'header', 'operator', 'selector', 'server']);

/** Forms of one word that no rule of endings finds, by stem. */
const SAME_WORD: ReadonlyMap<string, string> = new Map([
  ['admiss', 'admit'],
  ['authn', 'authentic'],
  ['authz', 'author'],
  ['built', 'build'],
  ['choic', 'choos'],
  ['chosen', 'choos'],
  ['convers', 'convert'],
  ['decis', 'decid'],
  ['describ', 'descript'],
  ['expir', 'expiry'],
  ['found', 'find'],
  ['imperson', 'impersonat'],
  ['param', 'paramet'],
  ['registry', 'regist'],
  ['valid', 'validat'],
  ['written', 'writ'],
]);

const ENDINGS = /(?:ations?|itions?|ions?|ings?|ers?|ors?|ed|ment|ness|ship|ive|able)$/;

/** The part of a word that its forms share: `validat` of validates, validated, validation. */
export function stemOf(word: string): string {
  const lower = word.toLowerCase();
  const singular = lower
    .replace(/(?<=..)ie[sd]$/, 'y')
    .replace(/(?<=s|x|ch|sh)es$/, '')
    .replace(/(?<=[^su])s$/, '');
  if (TERMS.has(singular)) return singular;
  const cut = singular.replace(ENDINGS, '');
  const stem = (cut.length < 3 ? singular : cut).replace(/(?<=...)e$/, '').replace(/([bdgklmnprt])\1$/, '$1');
  return SAME_WORD.get(stem) ?? stem;
}

/** The stems of the words of a name in camelCase or with dashes. */
export function stemsOf(name: string): string[] {
  const words = name.replaceAll(/openApi/gi, 'Openapi').match(/[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+/g) ?? [];
  return words.filter((word) => !STOP_WORDS.has(word.toLowerCase())).map((word) => stemOf(word));
}

/** How much a word counts in the name of the file, its folder, the folders above, the package. */
const WEIGHTS = { file: 1, room: 0.75, above: 0.5, package: 0.4 };
/** How much a file gains for each word of its name when all of them are in the function's name, and in its order. */
const WHOLE_NAME = 0.5;
const SAME_ORDER = 0.1;

/** Folders that every path has. */
const COMMON = new Set(['packages', 'src']);

interface ReadFile {
  readonly path: string;
  readonly weights: ReadonlyMap<string, number>;
  readonly ownStems: readonly string[];
}

/** Reads names against the paths of all files. */
export class NameReader {
  readonly #files: readonly ReadFile[];
  readonly #byStem = new Map<string, ReadFile[]>();
  /** The number of files that have a function with the stem in its name. */
  readonly #uses: ReadonlyMap<string, number>;

  /** Files called `index.ts` only list names: no reader looks for a function there. */
  constructor(paths: Iterable<string>, functions: Iterable<NamedFunction>) {
    this.#files = [...paths].filter((path) => !path.endsWith('/index.ts')).map((path) => fileOf(path));
    for (const file of this.#files)
      for (const stem of file.weights.keys()) this.#byStem.set(stem, [...(this.#byStem.get(stem) ?? []), file]);
    this.#uses = usesOf(functions);
  }

  /** Guesses the file of a function. */
  read(named: NamedFunction): Reading {
    const scores = this.#scoresOf(stemsOf(named.name));
    const best = Math.max(0, ...scores.values());
    const files = best === 0 ? [] : [...scores].filter(([, score]) => score > best - 1e-9).map(([{ path }]) => path);
    const room = roomOf(named.path);
    const share = (hits: number): number => (hits === 0 ? 0 : hits / files.length);
    return {
      ...named,
      files,
      file: share(files.filter((path) => path === named.path).length),
      room: share(files.filter((path) => roomOf(path) === room).length),
    };
  }

  #scoresOf(stems: readonly string[]): Map<ReadFile, number> {
    const scores = new Map<ReadFile, number>();
    for (const stem of new Set(stems))
      for (const file of this.#byStem.get(stem) ?? [])
        scores.set(file, (scores.get(file) ?? 0) + this.#rarityOf(stem) * (file.weights.get(stem) ?? 0));
    for (const [file, score] of scores) scores.set(file, score + this.#bonusOf(file, stems));
    return scores;
  }

  #bonusOf({ ownStems }: ReadFile, stems: readonly string[]): number {
    const named = ownStems.filter((stem) => stems.includes(stem));
    if (named.length < ownStems.length) return WHOLE_NAME * (this.#weightOf(named) / this.#weightOf(ownStems));
    const isOrdered = ` ${stems.join(' ')} `.includes(` ${ownStems.join(' ')} `);
    return WHOLE_NAME * named.length + (isOrdered ? SAME_ORDER : 0);
  }

  #weightOf(stems: readonly string[]): number {
    return stems.reduce((sum, stem) => sum + this.#rarityOf(stem), 0);
  }

  #rarityOf(stem: string): number {
    const common = Math.max(1, this.#byStem.get(stem)?.length ?? 0, this.#uses.get(stem) ?? 0);
    return Math.log((this.#files.length + 1) / common);
  }
}

/** The folder of a file. */
export const roomOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

function usesOf(functions: Iterable<NamedFunction>): Map<string, number> {
  const paths = new Map<string, Set<string>>();
  for (const { name, path } of functions)
    for (const stem of stemsOf(name)) paths.set(stem, (paths.get(stem) ?? new Set()).add(path));
  return new Map([...paths].map(([stem, { size }]) => [stem, size]));
}

function fileOf(path: string): ReadFile {
  const parts = path.replace(/\.ts$/, '').split('/');
  const [own = '', room = '', ...above] = parts.filter((part) => !COMMON.has(part)).toReversed();
  const owner = above.pop();
  const weights = new Map<string, number>();
  const weigh = (part: string, weight: number): void => {
    for (const stem of stemsOf(part)) weights.set(stem, Math.max(weight, weights.get(stem) ?? 0));
  };
  weigh(own, WEIGHTS.file);
  weigh(room, owner === undefined ? WEIGHTS.package : WEIGHTS.room);
  for (const part of above) weigh(part, WEIGHTS.above);
  if (owner !== undefined) weigh(owner, WEIGHTS.package);
  return { path, weights, ownStems: [...new Set(stemsOf(own))] };
}
