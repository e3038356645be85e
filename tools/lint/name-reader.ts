/**
 * A reader who knows words only: guesses the file of a function from its name and the paths of all files.
 *
 * Each word of the name counts as much as it is rare (in the paths, and in the names of functions: `text` says little
 * anywhere), most where it is in the name of the file and least where it is in the name of the package. Between files
 * that have the same words, the one whose name says nothing else is better.
 */

/** A function and the file it is in. */
export interface NamedFunction {
  readonly name: string;
  readonly path: string;
}

/** What the reader makes of a name: where its best guesses are. */
export interface Reading extends NamedFunction {
  /** The files that fit best, usually one. Empty when no word of the name is in any path. */
  readonly files: readonly string[];
  /** The chance that a guess among them names the right file, and the right room. */
  readonly file: number;
  readonly room: number;
}

/** Words that say nothing about a place. */
const STOP_WORDS = new Set(
  'a all an and any are as at be by each for from get has have if in is it its no not of on one or set that the this to with'.split(' '),
); // prettier-ignore

/** Forms of one word that no rule of endings finds. */
const SAME_WORD: Readonly<Record<string, string>> = {
  admiss: 'admit',
  authn: 'authentic',
  authz: 'author',
  convers: 'convert',
  decis: 'decid',
  describ: 'descript',
  env: 'environ',
  err: 'error',
  expir: 'expiry',
  fresh: 'freshness',
  healthy: 'health',
  identit: 'ident',
  identity: 'ident',
  param: 'paramet',
  registry: 'regist',
  redact: 'redact',
  resol: 'resolv',
  statu: 'status',
  subscrib: 'subscript',
  synth: 'sync',
  valid: 'validat',
};

const ENDINGS = /(?:ations?|itions?|ions?|ings?|ers?|ors?|ed|ment|ness|ship|ive|able)$/;

/** The part of a word that its forms share: `validat` of validates, validated, validation. */
export function stemOf(word: string): string {
  const lower = word.toLowerCase();
  const singular = lower
    .replace(/(?<=..)ie[sd]$/, 'y')
    .replace(/(?<=s|x|ch|sh)es$/, '')
    .replace(/(?<=[^su])s$/, '');
  const cut = singular.replace(ENDINGS, '');
  const stem = (cut.length < 3 ? singular : cut).replace(/(?<=...)e$/, '').replace(/([bdgklmnprt])\1$/, '$1');
  return SAME_WORD[stem] ?? stem;
}

/** The stems of the words of a name in camelCase or with dashes. */
export function stemsOf(name: string): string[] {
  const words = name.replaceAll(/openApi/gi, 'Openapi').match(/[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+/g) ?? [];
  return words.filter((word) => !STOP_WORDS.has(word.toLowerCase())).map((word) => stemOf(word));
}

/** How much a word in a part of a path counts: the name of the file, its folder, the folders above, the package. */
const WEIGHTS = { file: 1, room: 0.75, above: 0.5, package: 0.4 };
/** How much a file gains for each word of its name when all of them are in the function's name. */
const WHOLE_NAME = 0.5;

/** Folder names that every path has. */
const COMMON = new Set(['packages', 'src']);

interface ReadFile {
  readonly path: string;
  readonly room: string;
  readonly weights: ReadonlyMap<string, number>;
  readonly ownStems: readonly string[];
}

/** Reads names against the paths of all files. */
export class NameReader {
  readonly #files = new Map<string, ReadFile>();
  /** Files by a stem in their path. */
  readonly #byStem = new Map<string, ReadFile[]>();

  /** How many files have a function with the stem in its name. */
  readonly #uses = new Map<string, number>();

  constructor(paths: Iterable<string>, functions: Iterable<NamedFunction>) {
    for (const path of paths) if (!path.endsWith('/index.ts')) this.#add(fileOf(path));
    const used = new Set<string>();
    for (const { name, path } of functions)
      for (const stem of stemsOf(name)) {
        if (used.has(`${path} ${stem}`)) continue;
        used.add(`${path} ${stem}`);
        this.#uses.set(stem, (this.#uses.get(stem) ?? 0) + 1);
      }
  }

  #add(file: ReadFile): void {
    this.#files.set(file.path, file);
    for (const stem of file.weights.keys()) {
      const files = this.#byStem.get(stem);
      if (files === undefined) this.#byStem.set(stem, [file]);
      else files.push(file);
    }
  }

  /** Guesses the file of a function. */
  read(named: NamedFunction): Reading {
    const scores = this.#scoresOf(new Set(stemsOf(named.name)));
    const best = Math.max(0, ...scores.values());
    const files = best === 0 ? [] : [...scores].filter(([, score]) => score > best - 1e-9).map(([{ path }]) => path);
    const room = roomOf(named.path);
    const hits = files.filter((path) => roomOf(path) === room).length;
    return {
      ...named,
      files,
      file: files.includes(named.path) ? 1 / files.length : 0,
      room: hits === 0 ? 0 : hits / files.length,
    };
  }

  #scoresOf(stems: ReadonlySet<string>): Map<ReadFile, number> {
    const scores = new Map<ReadFile, number>();
    for (const stem of stems) {
      const rarity = this.#rarityOf(stem);
      for (const file of this.#byStem.get(stem) ?? [])
        scores.set(file, (scores.get(file) ?? 0) + rarity * (file.weights.get(stem) ?? 0));
    }
    for (const [file, score] of scores) {
      const named = file.ownStems.filter((stem) => stems.has(stem));
      const share =
        sum(named.map((stem) => this.#rarityOf(stem))) / sum(file.ownStems.map((stem) => this.#rarityOf(stem)));
      const isWhole = named.length === file.ownStems.length;
      scores.set(file, score + WHOLE_NAME * (isWhole ? named.length : share));
    }
    return scores;
  }

  #rarityOf(stem: string): number {
    const common = Math.max(this.#byStem.get(stem)?.length ?? 0, this.#uses.get(stem) ?? 0);
    return common === 0 ? 0 : Math.log((this.#files.size + 1) / common);
  }
}

/** The folder of a file. */
export const roomOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

function fileOf(path: string): ReadFile {
  const parts = path
    .replace(/\.ts$/, '')
    .split('/')
    .filter((part) => !COMMON.has(part));
  const [own = '', room = '', ...above] = parts.toReversed();
  const weights = new Map<string, number>();
  const weigh = (part: string, weight: number): void => {
    for (const stem of stemsOf(part)) weights.set(stem, Math.max(weight, weights.get(stem) ?? 0));
  };
  weigh(own, WEIGHTS.file);
  weigh(room, above.length === 0 ? WEIGHTS.package : WEIGHTS.room);
  for (const [at, part] of above.entries()) weigh(part, at === above.length - 1 ? WEIGHTS.package : WEIGHTS.above);
  return { path, room: roomOf(path), weights, ownStems: [...new Set(stemsOf(own))] };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
