/**
 * Writes packages/kubernetes/src/generated from a kube-apiserver that it starts for the purpose.
 *
 *   npm run generate
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GENERATED, generateBuiltIns, jsonFrom, startSchemaServer } from './schema-server.ts';

await using plane = await startSchemaServer();
const files = await generateBuiltIns(jsonFrom(plane));
const root = fileURLToPath(new URL(`../${GENERATED}`, import.meta.url));
await rm(root, { recursive: true, force: true });
for (const [path, text] of files) {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}
const all = [...files.values()].join('');
console.log(
  `${files.size} files, ${all.match(/^export (?:interface|type) \w/gm)?.length ?? 0} types, ${all.length} bytes`,
);
