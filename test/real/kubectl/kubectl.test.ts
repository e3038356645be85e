import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer, type ApiServer } from '@kube-informer/apiserver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ControlPlane } from '../harness/control-plane.ts';
import { findKubectls, type Kubectl } from '../harness/kubectl.ts';
import type { Scene } from './scene.ts';
import { SCENES } from './scenes.ts';
import { type Place, Terminal } from './terminal.ts';

const found = await findKubectls((line) => console.log(line));
const missing = typeof found === 'string' ? found : undefined;
if (missing !== undefined) console.warn(`\nSKIPPED: kubectl on the embedded server: ${missing}\n`);
const kubectls: readonly Kubectl[] =
  typeof found === 'string' ? [{ name: 'kubectl 1.20', tag: 'old', path: '' }] : found;

/** Time for two takes on a busy machine. */
const TIMEOUT_MS = 400_000;

/** The lines only one of them has. */
function differences(real = '', embedded = ''): string {
  const [ours, theirs] = [new Set(embedded.split('\n')), new Set(real.split('\n'))];
  const only = [...theirs].filter((line) => !ours.has(line)).map((line) => `  real:     ${line}`);
  return [...only, ...[...ours].filter((line) => !theirs.has(line)).map((line) => `  embedded: ${line}`)].join('\n');
}

describe.skipIf(missing !== undefined)('kubectl cannot tell the embedded server from a real one', () => {
  let plane: ControlPlane;
  let server: ApiServer;
  let dir: string;
  let same: Place['server'];
  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
    server = await startApiServer({ auth: 'rbac' });
    dir = await mkdtemp(join(tmpdir(), 'kubectl-test-'));
    // The same user as on the real server.
    const token = server.users.add({ name: 'admin', uid: 'admin-uid', groups: ['system:masters'] });
    same = { url: server.url, ca: server.ca ?? '', token };
    await writeFile(join(dir, 'kubeconfig'), server.kubeconfig().replace(server.token, token), { mode: 0o600 });
    for (const place of ['real', 'embedded']) await mkdir(join(dir, place));
  }, 1_800_000);
  afterAll(async () => {
    await Promise.all([plane?.[Symbol.asyncDispose](), server?.close()]);
    if (dir !== undefined) await rm(dir, { recursive: true, force: true });
  });

  function take(word: string, kubectl: Kubectl, scene: Scene): Promise<readonly string[]> {
    const { url, credentials, kubeconfig } = plane;
    const places: readonly Omit<Place, 'kubectl' | 'word'>[] = [
      { dir: join(dir, 'real'), kubeconfig, server: { url, ...credentials } },
      { dir: join(dir, 'embedded'), kubeconfig: join(dir, 'kubeconfig'), server: same },
    ];
    return Promise.all(places.map((place) => Terminal.play({ ...place, kubectl, word }, scene)));
  }

  /**
   * A difference between the servers shows every time. An accident of timing (a time-out at the moment of a response, a periodic
   * check of the real server) shows once: it is printed, and the second take counts.
   */
  async function alike(kubectl: Kubectl, scene: Scene): Promise<void> {
    const [real, embedded] = await take(kubectl.tag, kubectl, scene);
    if (embedded === real) return;
    console.warn(
      `${kubectl.name}, "${scene.name}": the first take differs, and is played again\n${differences(real, embedded)}`,
    );
    const [realAgain, embeddedAgain] = await take(`${kubectl.tag}-again`, kubectl, scene);
    expect(embeddedAgain).toBe(realAgain);
  }

  const played = kubectls.flatMap((kubectl) =>
    SCENES.map((scene) => ({ kubectl, scene, title: `${kubectl.name}: ${scene.name}` })),
  );
  const [alone, together] = [played.filter(({ scene }) => scene.alone), played.filter(({ scene }) => !scene.alone)];
  test.each(alone)('$title', ({ kubectl, scene }) => alike(kubectl, scene), TIMEOUT_MS);
  test.concurrent.each(together)('$title', ({ kubectl, scene }) => alike(kubectl, scene), TIMEOUT_MS);
});
