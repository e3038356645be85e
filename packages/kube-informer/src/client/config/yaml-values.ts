import type * as Yaml from 'yaml';
import type { YamlValue } from './safe-yaml.ts';

export interface YamlBounds {
  /** Values, with every alias and merge key written out. */
  readonly values: number;
  /** Levels, counted in the same way. */
  readonly depth: number;
}

/** Why a document cannot be read, and where. Says nothing of what the text held. */
export class YamlRefusal extends Error {
  /** Offset in the text. */
  readonly at: number;

  constructor(reason: string, node: unknown) {
    super(reason);
    this.at = (node as { range?: readonly number[] | null } | null | undefined)?.range?.[0] ?? 0;
  }
}

/** A value, and how large it would be if it were written out. */
interface Counted {
  readonly value: YamlValue;
  readonly values: number;
  readonly depth: number;
  /** Of a mapping. */
  readonly entries?: ReadonlyMap<unknown, Counted>;
}

/**
 * What a parsed document holds, with aliases followed and merge keys (`<<`) merged.
 *
 * Promises: each node is read once, however often it is referred to, so time is bounded by the text and by `bounds`;
 * an alias within itself, and aliases that stand for more than `bounds`, are refused. What a mapping says itself wins
 * over what it merges, and the first of several sources wins over the next. A mapping that says a thing and then merges
 * it is refused: YAML's rule and kubectl disagree about which of the two is meant.
 *
 * Not the library's own merging: it settles that last case in silence, and names no place when a source is no mapping.
 */
export function valueOf(document: Yaml.Document, yaml: typeof Yaml, bounds: YamlBounds): YamlValue {
  /** In the order of the text, so an alias means the latest anchor of its name, as it should. */
  const anchors = new Map<string, unknown>();
  const known = new Map<unknown, Counted>();
  const open = new Set<unknown>();
  let merged = 0;

  const read = (given: unknown): Counted => {
    const node = followed(given);
    if (!yaml.isNode(node)) return { value: null, values: 1, depth: 0 };
    const before = known.get(node);
    if (before !== undefined) return before;
    if (open.has(node)) throw new YamlRefusal('an alias within what it stands for', given);
    if (!yaml.isAlias(node) && node.anchor !== undefined) anchors.set(node.anchor, node);
    open.add(node);
    const counted = yaml.isMap(node) ? readMap(node) : yaml.isSeq(node) ? readSeq(node) : readScalar(node);
    open.delete(node);
    known.set(node, counted);
    if (counted.values > bounds.values || counted.depth > bounds.depth)
      throw new YamlRefusal('aliases that stand for too much', node);
    return counted;
  };

  const followed = (node: unknown): unknown => {
    if (!yaml.isAlias(node)) return node;
    const target = anchors.get(node.source);
    if (target === undefined) throw new YamlRefusal('an alias that cannot be followed', node);
    return target;
  };

  const readScalar = (node: unknown): Counted => ({
    value: (node as Yaml.Scalar).value as YamlValue,
    values: 1,
    depth: 0,
  });

  const readSeq = ({ items }: Yaml.YAMLSeq): Counted => {
    const all = items.map(read);
    return { value: all.map(({ value }) => value), ...sizeOf(all) };
  };

  const readMap = ({ items }: Yaml.YAMLMap): Counted => {
    const own = new Map<unknown, Counted>();
    const inherited = new Map<unknown, Counted>();
    for (const { key, value } of items) {
      if (!isMergeKey(key)) {
        own.set(read(key).value, read(value));
        continue;
      }
      for (const [name, entry] of sourcesOf(key, value)) {
        if ((merged += 1) > bounds.values) throw new YamlRefusal('aliases that stand for too much', key);
        if (own.has(name)) throw new YamlRefusal('a merge key (<<) after a key that it sets too: put << first', key);
        if (!inherited.has(name)) inherited.set(name, entry);
      }
    }
    const entries = new Map([...inherited, ...own]);
    const value = new Map([...entries].map(([name, entry]) => [name, entry.value] as const));
    return { value, entries, ...sizeOf([...entries.values()]) };
  };

  /** Only plain: in quotes, or with a tag, it is a key like others. */
  const isMergeKey = (key: unknown): boolean =>
    yaml.isScalar(key) && key.value === '<<' && key.type === 'PLAIN' && key.tag === undefined;

  function* sourcesOf(key: unknown, value: unknown): Iterable<readonly [unknown, Counted]> {
    const sources = yaml.isSeq(value) ? value.items : [value];
    for (const source of sources) {
      const { entries } = read(source);
      if (entries === undefined) throw new YamlRefusal('a merge key (<<) that is given no mapping', key);
      yield* entries;
    }
  }

  return read(document.contents).value;
}

function sizeOf(parts: readonly Counted[]): { values: number; depth: number } {
  let values = 1;
  let depth = 0;
  for (const part of parts) {
    values += part.values;
    depth = Math.max(depth, part.depth);
  }
  return { values, depth: depth + 1 };
}
