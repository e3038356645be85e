/**
 * The test of our names: random functions of all packages for a reader who sees the folder tree and no contents.
 *
 *   npx tsx tools/lint/find-the-room.ts --seed 7            20 names and the tree: name the file of each
 *   npx tsx tools/lint/find-the-room.ts --seed 7 --answers  the files
 */
import { parseArgs } from 'node:util';
import { nodesOf, shippedSources, type Source } from '../../test/release/sources.ts';

const COUNT = 20;

interface Named {
  readonly name: string;
  readonly path: string;
}

/** Functions declared at the top of a file, as `function` or as a constant. */
function functionsOf(source: Source): Named[] {
  const [program] = nodesOf(source);
  const body = (program?.['body'] ?? []) as { type: string; declaration?: unknown }[];
  return body
    .map((statement) => (statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement))
    .flatMap((declaration) => namesIn(declaration as Declaration | null))
    .map((name) => ({ name, path: source.path }));
}

interface Declaration {
  readonly type: string;
  readonly id?: { readonly name: string };
  readonly declarations?: readonly {
    readonly id: { readonly name?: string };
    readonly init?: { readonly type: string };
  }[];
}

function namesIn(declaration: Declaration | null): string[] {
  if (declaration?.type === 'FunctionDeclaration') return [declaration.id?.name ?? ''];
  if (declaration?.type !== 'VariableDeclaration') return [];
  return (declaration.declarations ?? [])
    .filter(({ init }) => init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression')
    .map(({ id }) => id.name ?? '');
}

/** Numbers between 0 and 1 that depend on the seed only (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const { values } = parseArgs({ options: { seed: { type: 'string' }, answers: { type: 'boolean' } } });
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const sources = shippedSources().filter(({ path }) => !path.includes('/generated/'));
const all = sources.flatMap((source) => functionsOf(source));
const random = seeded(seed);
const picked = new Set<Named>();
while (picked.size < COUNT) picked.add(all[Math.floor(random() * all.length)] as Named);
console.log(`seed ${seed}: ${COUNT} of ${all.length} functions`);
for (const { name, path } of picked) console.log(values.answers === true ? `  ${name}  ${path}` : `  ${name}`);
if (values.answers !== true) for (const { path } of sources) console.log(path);
