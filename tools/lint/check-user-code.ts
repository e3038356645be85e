/**
 * Checks that public options carry code of the user as `UserCode`: the compiler then refuses to call it without a guard
 * (packages/kube-informer/src/core/guarded.ts). A plain function type in options would be a way past the guards.
 *
 *   npx tsx tools/lint/check-user-code.ts
 */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOTS = ['packages/kube-informer/src', 'packages/controller/src'];
/** Objects of the user whose methods we call. */
const OBJECTS = ['Env', 'Metrics'];

/** Options that hold plain functions, and why that is right. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'ControllerConfig.process': 'called by the loop of the controller, which reports its failures',
  'ControllerConfig.processBatch': 'called by the loop of the controller, which reports its failures',
  'ControllerConfig.room': 'called by the loop of the controller, which reports its failures',
  'FakeEnvOptions.random': 'the clock of an Env is trusted',
  'FakeEnvOptions.log': 'part of an Env, which is guarded where it is passed',
};

/** Everything wrong, one line each. `files` maps paths to texts. */
export function unguardedOptions(
  files: ReadonlyMap<string, string>,
  exceptions: Readonly<Record<string, string>> = EXCEPTIONS,
): string[] {
  const texts = [...files].map(([path, text]) => [path, withoutComments(text)] as const);
  const entries = texts.filter(([path]) => posix.basename(path) === 'index.ts').map(([, text]) => text);
  const isPublic = (name: string): boolean => entries.some((text) => new RegExp(`\\b${name}\\b`).test(text));
  const functions = texts.flatMap(([, text]) => functionTypesIn(text));
  const isCode = (type: string): boolean =>
    type.includes('=>') || [...functions, ...OBJECTS].some((name) => new RegExp(`\\b${name}\\b`).test(type));
  const used = new Set<string>();
  const found = texts.flatMap(([path, text]) =>
    optionsIn(text)
      .filter(({ name }) => isPublic(name))
      .flatMap(({ name, members }) =>
        members
          .filter(({ type }) => isCode(withoutUserCode(type)))
          .map(({ member }) => `${name}.${member}`)
          .filter((member) => !(used.add(member) && Object.hasOwn(exceptions, member)))
          .map((member) => `${path}: ${member} carries code of the user: its type must be UserCode<…>`),
      ),
  );
  const unused = Object.keys(exceptions).filter((member) => !used.has(member));
  return [...found, ...unused.map((member) => `tools/lint/check-user-code.ts: the exception ${member} is not needed`)];
}

/** The interfaces named `…Options` and `…Config`, and their members. */
function optionsIn(text: string): { name: string; members: { member: string; type: string }[] }[] {
  const interfaces = text.matchAll(/^export interface (\w+(?:Options|Config))\b[^{]*\{\n([\s\S]*?)^\}/gm);
  return [...interfaces].map(([, name = '', body = '']) => ({
    name,
    // A member begins at two spaces and ends with a semicolon before the next one.
    members: [...body.matchAll(/^  (?:readonly )?(\w+)\??(\(|:)([\s\S]*?);(?=\n(?:  \S|$)|$)/gm)].map(
      ([, member = '', separator, type = '']) => ({ member, type: separator === '(' ? `=> ${type}` : type }),
    ),
  }));
}

/** The names of types that are functions: `export type KeyFn<T> = (object: T) => Key`. */
function functionTypesIn(text: string): string[] {
  return [...text.matchAll(/^export type (\w+)(?:<[^=]*>)? =\s*\([^;]*?\) =>/gm)].map(([, name = '']) => name);
}

/** `UserCode<…>` is removed with everything in it. */
function withoutUserCode(type: string): string {
  const at = type.indexOf('UserCode<');
  if (at === -1) return type;
  let depth = 0;
  for (let i = at + 'UserCode'.length; i < type.length; i += 1) {
    if (type[i] === '<') depth += 1;
    // The arrow of a function type closes no bracket.
    if (type[i] === '>' && type[i - 1] !== '=') depth -= 1;
    if (depth === 0) return withoutUserCode(type.slice(0, at) + type.slice(i + 1));
  }
  return type;
}

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*\/\*[\s\S]*?\*\/$/gm, '').replaceAll(/\s*\/\/.*$/gm, '');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = ROOTS.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => posix.join(root, name)),
  ).filter((name) => name.endsWith('.ts'));
  const files = new Map(names.map((name) => [name, readFileSync(name, 'utf8')]));
  const found = unguardedOptions(files);
  for (const line of found) console.error(line);
  console.log(`user code: ${files.size} files, ${found.length} violations`);
  process.exitCode = found.length === 0 ? 0 : 1;
}
