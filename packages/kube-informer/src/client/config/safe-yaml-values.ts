import type * as Yaml from 'yaml';
import type { YamlValue } from './safe-yaml.ts';

export interface YamlBounds {
  /** Maximum number of values, with every alias and merge key expanded. */
  readonly values: number;
  /** Maximum number of levels, counted in the same way. */
  readonly depth: number;
}

/** The reason why a document is refused, and its position. Never quotes the text. */
export class YamlRefusal extends Error {
  /** Offset in the text. */
  readonly at: number;

  constructor(reason: string, node: unknown) {
    super(reason);
    this.at = (node as { range?: readonly number[] | null } | null | undefined)?.range?.[0] ?? 0;
  }
}

/** A value and its size with everything expanded. */
interface Counted {
  readonly value: YamlValue;
  readonly values: number;
  readonly depth: number;
  /** Set for a mapping. */
  readonly entries?: ReadonlyMap<unknown, Counted>;
}

/**
 * Returns the value of a parsed document, with aliases resolved and merge keys (`<<`) merged.
 *
 * Promises: each node is read once, however often it is referred to, so time is bounded by the text and by `bounds`;
 * an alias inside its own anchor, and aliases that expand beyond `bounds`, are refused. A mapping's own keys win over
 * merged ones, and the first of several sources wins over the next. A key followed by a merge key that sets it too is
 * refused: YAML's rule and kubectl disagree about which value wins.
 *
 * The library's own merging is not used: it accepts that last case silently, and gives no position when a source is
 * not a mapping.
 */
export function safeYamlValue(document: Yaml.Document, yaml: typeof Yaml, bounds: YamlBounds): YamlValue {
  /** Filled in the order of the text, so that an alias means the latest anchor of its name. */
  const anchors = new Map<string, unknown>();
  const known = new Map<unknown, Counted>();
  const open = new Set<unknown>();
  let merged = 0;

  const read = (given: unknown): Counted => {
    const node = resolveAlias(given);
    if (!yaml.isNode(node)) return { value: null, values: 1, depth: 0 };
    const before = known.get(node);
    if (before !== undefined) return before;
    if (open.has(node)) throw new YamlRefusal('an alias inside its own anchor', given);
    if (!yaml.isAlias(node) && node.anchor !== undefined) anchors.set(node.anchor, node);
    open.add(node);
    const counted = yaml.isMap(node) ? readMap(node) : yaml.isSeq(node) ? readSeq(node) : readScalar(node);
    open.delete(node);
    known.set(node, counted);
    if (counted.values > bounds.values || counted.depth > bounds.depth)
      throw new YamlRefusal('aliases that expand to too many values', node);
    return counted;
  };

  const resolveAlias = (node: unknown): unknown => {
    if (!yaml.isAlias(node)) return node;
    const target = anchors.get(node.source);
    if (target === undefined) throw new YamlRefusal('an alias without an anchor', node);
    return target;
  };

  const readScalar = (node: unknown): Counted => ({
    value: (node as Yaml.Scalar).value as YamlValue,
    values: 1,
    depth: 0,
  });

  const readSeq = ({ items }: Yaml.YAMLSeq): Counted => {
    const all = items.map(read);
    return { value: all.map(({ value }) => value), ...sizeOfSafeYamlValue(all) };
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
        if ((merged += 1) > bounds.values) throw new YamlRefusal('aliases that expand to too many values', key);
        if (own.has(name)) throw new YamlRefusal('a merge key (<<) after a key that it sets too: put << first', key);
        if (!inherited.has(name)) inherited.set(name, entry);
      }
    }
    const entries = new Map([...inherited, ...own]);
    const value = new Map([...entries].map(([name, entry]) => [name, entry.value] as const));
    return { value, entries, ...sizeOfSafeYamlValue([...entries.values()]) };
  };

  /** Quoted or tagged, `<<` is an ordinary key. */
  const isMergeKey = (key: unknown): boolean =>
    yaml.isScalar(key) && key.value === '<<' && key.type === 'PLAIN' && key.tag === undefined;

  function* sourcesOf(key: unknown, value: unknown): Iterable<readonly [unknown, Counted]> {
    const sources = yaml.isSeq(value) ? value.items : [value];
    for (const source of sources) {
      const { entries } = read(source);
      if (entries === undefined) throw new YamlRefusal('a merge key (<<) whose value is not a mapping', key);
      yield* entries;
    }
  }

  return read(document.contents).value;
}

function sizeOfSafeYamlValue(parts: readonly Counted[]): { values: number; depth: number } {
  let values = 1;
  let depth = 0;
  for (const part of parts) {
    values += part.values;
    depth = Math.max(depth, part.depth);
  }
  return { values, depth: depth + 1 };
}
