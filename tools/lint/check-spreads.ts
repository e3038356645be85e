/**
 * Checks that an optional field is written with `defined` of core/defined.ts: `...defined({ name })`, not
 * `...(name === undefined ? {} : { name })`. A literal that computes its fields from `name` (`{ key: keyOf(name) }`) may
 * stay: `defined` does not make it shorter.
 *
 *   npx tsx tools/lint/check-spreads.ts
 */
import { fileURLToPath } from 'node:url';
import { type Node, nodesOf, shippedSources, type Source } from '../../test/release/sources.ts';

/** `kube-informer` depends on this package, so it cannot import the helper. */
const BELOW_CORE = 'packages/kubernetes/';

/** Conditionals that `defined` replaces, one line each. */
export function spreadViolations(files: readonly Source[]): string[] {
  return files
    .filter(({ path }) => !path.startsWith(BELOW_CORE))
    .flatMap((source) =>
      [...nodesOf(source)]
        .filter((node) => isOptionalField(node, source))
        .map(({ start }) => `${source.path}:${source.text.slice(0, start).split('\n').length}: use defined({ … })`),
    );
}

/** `x === undefined ? {} : { … }` with only `x` and fields of `x` in the literal; also with `!==` and the other order. */
function isOptionalField(node: Node, { text }: Source): boolean {
  if (node.type !== 'ConditionalExpression') return false;
  const { test, consequent, alternate } = node as unknown as Record<'test' | 'consequent' | 'alternate', Node>;
  const { operator, left, right } = test as unknown as { operator?: unknown; left: Node; right: Node };
  if (test.type !== 'BinaryExpression' || right['name'] !== 'undefined') return false;
  const [absent, present] = operator === '===' ? [consequent, alternate] : [alternate, consequent];
  const fields = fieldsOfLiteral(present);
  if (fieldsOfLiteral(absent)?.length !== 0 || fields === undefined || fields.length === 0) return false;
  const codeOf = ({ start, end }: Node): string => text.slice(start, end).replaceAll('?.', '.');
  const tested = codeOf(left);
  return fields.every((field) => {
    const value = field['value'] as Node | undefined;
    return value !== undefined && /^(?:\.\w+)*$/.test(codeOf(value).replace(tested, ''));
  });
}

function fieldsOfLiteral(node: Node): readonly Node[] | undefined {
  if (node.type === 'ParenthesizedExpression') return fieldsOfLiteral(node['expression'] as Node);
  return node.type === 'ObjectExpression' ? (node['properties'] as readonly Node[]) : undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = shippedSources().filter(({ path }) => !path.includes('/generated/'));
  const found = spreadViolations(files);
  for (const line of found) console.error(line);
  console.log(`spreads: ${files.length} files, ${found.length} violations`);
  process.exitCode = found.length === 0 ? 0 : 1;
}
