/**
 * Writes the recordings in packages/apiserver/test/api/kinds: what a real kube-apiserver makes of the objects in test/rig/kinds.
 *
 *   npx tsx --conditions=@kube-informer/source tools/generate/record-kinds.ts
 */
import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { fileURLToPath } from 'node:url';
import type { ApiObject } from '../../packages/apiserver/src/core/kube-object.ts';
import type { FieldError } from '../../packages/apiserver/src/core/field-error.ts';
import type { JsonObject } from '../../packages/apiserver/src/core/json.ts';
import { histories } from '../../packages/apiserver/test/rig/kinds/changes.ts';
import { manifests } from '../../packages/apiserver/test/rig/kinds/manifests.ts';
import { refused } from '../../packages/apiserver/test/rig/kinds/refusals.ts';
import { ControlPlane } from '../../test/real/harness/control-plane.ts';

const FOLDER = fileURLToPath(new URL('../../packages/apiserver/test/api/kinds/', import.meta.url));

/** The response to a write: the object, or the reason it was refused. */
interface Outcome {
  readonly stored?: ApiObject;
  readonly causes?: readonly FieldError[];
}

const TIMES: ReadonlySet<string> = new Set(['lastPhaseTransitionTime', 'lastTransitionTime', 'timeAdded']);
/** Replaces addresses that the server picked; one that the object asked for stays. */
const PICKED = /"10\.0\.0\.(?!1"|77"|99")\d+"/g;

await using plane = await ControlPlane.start();
const collections = await collectionsByKind();

await write(
  'refusals.fixtures.json',
  await inTurn(refused, async (sent) => ({ sent, ...(await ask('POST', collectionOf(sent), sent)) })),
);
await write(
  'changes.fixtures.json',
  await inTurn(histories, async ({ sent, steps }) => {
    const created = await ask('POST', collectionOf(sent), sent);
    const path = `${collectionOf(sent)}/${sent.metadata?.name}`;
    const outcomes = await inTurn(steps, async ({ patch, subresource }) =>
      ask('PATCH', subresource === undefined ? path : `${path}/${subresource}`, patch),
    );
    return { sent, ...created, steps: steps.map((step, index) => ({ ...step, ...outcomes[index] })) };
  }),
);

// Last, because some of them change how the server treats the others.
await write(
  'defaults.fixtures.json',
  await inTurn(manifests, async (sent) => ({ sent, ...(await ask('POST', collectionOf(sent), sent)) })),
);
async function ask(method: string, path: string, body: ApiObject | JsonObject): Promise<Outcome> {
  const { status, text } = await (method === 'PATCH' ? mergePatch(path, body) : plane.ask(method, path, body));
  const answer = JSON.parse(text) as ApiObject & { details?: { causes?: FieldError[] } };
  if (status === 422) return { causes: (answer.details?.causes ?? []).map(comparableCause) };
  if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
  return { stored: comparable(answer) };
}

function mergePatch(path: string, body: unknown): Promise<{ status: number; text: string }> {
  const { ca, token } = plane.credentials;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/merge-patch+json' };
  return new Promise((resolve, reject) => {
    const call = request(`${plane.url}${path}`, { method: 'PATCH', ca, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      answer.on('error', reject);
    });
    call.on('error', reject);
    call.end(JSON.stringify(body));
  });
}

/** Cuts off the difference between the server's own structs that ends some messages. */
function comparableCause({ reason, message, field }: FieldError): FieldError {
  return { reason, message: message.replace(/\n@@[^]*$/, ''), field };
}

/** The object without fields that differ from run to run. */
function comparable(object: ApiObject): ApiObject {
  const uid = object.metadata?.uid ?? '';
  const metadata = { ...object.metadata };
  for (const field of ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields'] as const) delete metadata[field];
  const text = JSON.stringify({ ...object, metadata }, (key, value: unknown) =>
    TIMES.has(key) && value !== null ? '<now>' : value,
  );
  return JSON.parse(text.replaceAll(uid, '<uid>').replaceAll(PICKED, '"10.0.0.128"')) as ApiObject;
}

async function collectionsByKind(): Promise<Map<string, string>> {
  const paths = new Map<string, string>();
  for (const version of new Set([...manifests, ...refused].map(({ apiVersion = '' }) => apiVersion))) {
    const root = version.includes('/') ? `/apis/${version}` : `/api/${version}`;
    const { resources } = JSON.parse((await plane.ask('GET', root)).text) as {
      resources: readonly { name: string; kind: string; namespaced: boolean }[];
    };
    for (const { name, kind, namespaced } of resources)
      if (!name.includes('/'))
        paths.set(`${version} ${kind}`, `${root}${namespaced ? '/namespaces/default' : ''}/${name}`);
  }
  return paths;
}

function collectionOf({ apiVersion, kind }: ApiObject): string {
  const path = collections.get(`${apiVersion} ${kind}`);
  if (path === undefined) throw new Error(`${apiVersion} has no ${kind}`);
  return path;
}

async function inTurn<T, R>(items: readonly T[], visit: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await visit(item));
  return results;
}

async function write(file: string, lines: readonly unknown[]): Promise<void> {
  await writeFile(`${FOLDER}${file}`, `[\n${lines.map((line) => JSON.stringify(line)).join(',\n')}\n]\n`);
  console.log(`${file}: ${lines.length}`);
}
