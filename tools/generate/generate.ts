/**
 * Writes packages/kubernetes/src/generated and packages/apiserver/data from two kube-apiservers that it starts: one with every
 * API enabled, one with default flags.
 *
 *   npm run generate
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FACTS, generateFacts, startDefaultServer } from './generate-facts.ts';
import { GENERATED, generateBuiltIns, jsonFrom, startSchemaServer } from './schema-server.ts';

async function write(dir: string, files: ReadonlyMap<string, string>): Promise<void> {
  const root = fileURLToPath(new URL(`../../${dir}`, import.meta.url));
  await rm(root, { recursive: true, force: true });
  for (const [path, text] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

await using plain = await startDefaultServer();
const facts = await generateFacts(jsonFrom(plain));
await write(FACTS, facts);
console.log(`${FACTS}: ${facts.size} files, ${[...facts.values()].join('').length} bytes`);

await using plane = await startSchemaServer();
const files = await generateBuiltIns(jsonFrom(plane), JSON.parse(facts.get('schemas.json') as string));
await write(GENERATED, files);
const all = [...files.values()].join('');
console.log(
  `${GENERATED}: ${files.size} files, ${all.match(/^export (?:interface|type) \w/gm)?.length ?? 0} types, ${all.length} bytes`,
);
