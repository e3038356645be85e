import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { isDefinition, type Manifest } from './documents.ts';

/** Time for the real server to serve what it has accepted. */
const SERVED_WITHIN_MS = 120_000;

type Ask = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ readonly status: number; readonly text: string }>;

/**
 * The response of a server to each manifest, by title: `accepted`, or the code and the message. Definitions are stored,
 * all else is a dry run.
 */
export async function answersTo(manifests: readonly Manifest[], kubeconfig: string): Promise<Map<string, string>> {
  const ask = await askerFor(kubeconfig);
  const answers = new Map<string, string>();
  const definitions = manifests.filter(isDefinition);
  for (const { title, object } of definitions) {
    const path = `/apis/${object.apiVersion}/customresourcedefinitions`;
    answers.set(title, answerText(await ask('POST', path, object)));
  }
  const others = manifests.filter((manifest) => !isDefinition(manifest));
  const versions = [...new Set(others.map(({ object }) => object.apiVersion))];
  const accepted = definitions.filter(({ title }) => answers.get(title) === 'accepted');
  const places = await servedPlaces(ask, versions, accepted);
  const namespaces = new Set(others.flatMap(({ object }) => object.metadata.namespace ?? []));
  for (const name of namespaces) await ask('POST', '/api/v1/namespaces', { metadata: { name } });
  for (const { title, object } of others) {
    const place = places.get(`${object.apiVersion} ${object.kind}`);
    if (place === undefined) continue;
    const { name, namespaced } = place;
    const base = object.apiVersion.includes('/') ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`;
    const within = namespaced ? `/namespaces/${object.metadata.namespace ?? 'default'}` : '';
    const path = `${base}${within}/${name}?dryRun=All&fieldValidation=Strict`;
    answers.set(title, answerText(await ask('POST', path, object)));
  }
  return answers;
}

/** Resources by `apiVersion Kind`, as soon as every accepted definition is served. */
async function servedPlaces(
  ask: Ask,
  versions: readonly string[],
  accepted: readonly Manifest[],
): Promise<Map<string, { readonly name: string; readonly namespaced: boolean }>> {
  const expected = accepted.flatMap(({ object }) => {
    const { group, names, versions: of } = object.spec as DefinitionSpec;
    return of.filter(({ served }) => served).map(({ name }) => `${group}/${name} ${names.kind}`);
  });
  const end = Date.now() + SERVED_WITHIN_MS;
  for (;;) {
    const places = new Map<string, { name: string; namespaced: boolean }>();
    for (const version of new Set([...versions, ...expected.map((one) => one.split(' ')[0] as string)])) {
      const { status, text } = await ask('GET', version.includes('/') ? `/apis/${version}` : `/api/${version}`);
      if (status !== 200) continue;
      for (const { name, kind, namespaced } of (JSON.parse(text) as { resources: Resource[] }).resources)
        if (!name.includes('/')) places.set(`${version} ${kind}`, { name, namespaced });
    }
    if (expected.every((one) => places.has(one)) || Date.now() > end) return places;
    await sleep(500);
  }
}

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

interface DefinitionSpec {
  readonly group: string;
  readonly names: { readonly kind: string };
  readonly versions: readonly { readonly name: string; readonly served: boolean }[];
}

function answerText({ status, text }: { readonly status: number; readonly text: string }): string {
  if (status < 300) return 'accepted';
  try {
    return `${status} ${(JSON.parse(text) as { message?: string }).message ?? text}`;
  } catch {
    return `${status} ${text}`;
  }
}

/** Makes requests to the server of a kubeconfig file. */
export async function askerFor(kubeconfig: string): Promise<Ask> {
  const { clusters, users } = parse(await readFile(kubeconfig, 'utf8')) as {
    clusters: { cluster: { server: string; 'certificate-authority-data': string } }[];
    users: { user: { token: string } }[];
  };
  const { server, 'certificate-authority-data': ca } = clusters[0]?.cluster ?? { server: '', 'certificate-authority-data': '' };
  const agent = new Agent({ keepAlive: true, ca: Buffer.from(ca, 'base64') });
  const headers = { authorization: `Bearer ${users[0]?.user.token}`, 'content-type': 'application/json' };
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const call = request(`${server}${path}`, { method, agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.once('error', reject).once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      call.once('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
} // prettier-ignore
