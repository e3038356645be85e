import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer, type ApiServer } from '@kube-informer/apiserver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ControlPlane } from './harness/control-plane.ts';
import { findKubectls, type Kubectl } from './harness/kubectl.ts';
import type { Scene } from './kubectl/scene.ts';
import { SCENES } from './kubectl/scenes.ts';
import { type Place, Terminal } from './kubectl/terminal.ts';

const found = await findKubectls((line) => console.log(line));
const missing = typeof found === 'string' ? found : undefined;
if (missing !== undefined) console.warn(`\nSKIPPED: kubectl on the embedded server: ${missing}\n`);
const kubectls: readonly Kubectl[] =
  typeof found === 'string' ? [{ name: 'kubectl 1.20', tag: 'old', path: '' }] : found;

describe.skipIf(missing !== undefined)('kubectl cannot tell the embedded server from a real one', () => {
  let plane: ControlPlane;
  let server: ApiServer;
  let dir: string;
  let same: Place['server'];
  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
    server = await startApiServer({ auth: 'rbac' });
    dir = await mkdtemp(join(tmpdir(), 'kubectl-test-'));
    // The same person as there.
    const token = server.users.add({ name: 'admin', uid: 'admin-uid', groups: ['system:masters'] });
    same = { url: server.url, ca: server.ca ?? '', token };
    await writeFile(join(dir, 'kubeconfig'), server.kubeconfig().replace(server.token, token), { mode: 0o600 });
    for (const place of ['real', 'embedded']) await mkdir(join(dir, place));
  }, 1_800_000);
  afterAll(async () => {
    await Promise.all([plane?.[Symbol.asyncDispose](), server?.close()]);
    if (dir !== undefined) await rm(dir, { recursive: true, force: true });
  });

  async function alike(kubectl: Kubectl, scene: Scene): Promise<void> {
    const { url, credentials, kubeconfig } = plane;
    const [real, embedded] = await Promise.all([
      Terminal.play({ dir: join(dir, 'real'), kubeconfig, server: { url, ...credentials }, kubectl }, scene),
      Terminal.play({ dir: join(dir, 'embedded'), kubeconfig: join(dir, 'kubeconfig'), server: same, kubectl }, scene),
    ]);
    expect(embedded).toBe(real);
  }

  const played = kubectls.flatMap((kubectl) =>
    SCENES.map((scene) => ({ kubectl, scene, title: `${kubectl.name}: ${scene.name}` })),
  );
  test.each(played.filter(({ scene }) => scene.alone === true))('$title', ({ kubectl, scene }) =>
    alike(kubectl, scene),
  );
  test.concurrent.each(played.filter(({ scene }) => scene.alone !== true))('$title', ({ kubectl, scene }) =>
    alike(kubectl, scene),
  );
});
