import { startApiServer } from '@kube-informer/apiserver';
import { systemEnv } from 'kube-informer/core';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { demoFaultsOfReplicas } from '../../src/demo/demo-faults.ts';
import { DEMO_CONTROLLERS, demoNodes } from '../../src/demo/demo-nodes.ts';
import { DemoReplicas } from '../../src/demo/demo-replicas.ts';
import { Simulation } from '../../src/demo/simulation.ts';

const DEADLINE = { timeout: 60_000, interval: 100 };

/** The demo without its page, on the real clock: a lease lasts 15 seconds. */
async function rig() {
  const env = { ...systemEnv, log: () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'kube-'));
  const server = await startApiServer({ controllers: DEMO_CONTROLLERS, nodes: demoNodes(() => env.random()) });
  const kubeconfig = join(folder, 'config');
  await server.writeKubeconfig(kubeconfig);
  const end = new AbortController();
  const running = new Simulation(server, env).run(end.signal);
  const replicas = new DemoReplicas(kubeconfig, env);
  onTestFinished(async () => {
    end.abort();
    await running;
    await replicas[Symbol.asyncDispose]();
    await server.close();
    await rm(folder, { recursive: true });
  });
  await replicas.start();
  await expect.poll(() => replicas.leader, DEADLINE).toMatch(/^backups-/);
  await expect.poll(() => replicas.standbys, DEADLINE).toBe(1);
  const fault = (wanted: string) => demoFaultsOfReplicas(replicas).find(({ name }) => name === wanted);
  const states = (): readonly string[] => [...replicas.operators].map(({ state }) => state.kind);
  /** Writes of all replicas, by who made them. */
  const unheld = () => [...replicas.operators].flatMap(({ writes }) => writes.filter(({ held }) => !held));
  return { server, replicas, fault, states, unheld };
}

test('CTR-46: a leader without its lease stops; the other replica leads, and no write was made without the lease', async () => {
  const { replicas, fault, states, unheld } = await rig();
  const { leader } = replicas;
  await fault('take-lease')?.run();
  expect(replicas.leader).not.toBe(leader);
  expect(states().toSorted()).toEqual(['leading', 'standby']);
  expect(unheld()).toEqual([]);
}, 120_000);

test('CTR-47: a crashed leader is replaced, and its backups continue', async () => {
  const { server, replicas, fault, states } = await rig();
  const { leader } = replicas;
  const runs = (): number =>
    server.local
      .list('demo.kube-informer.dev', 'backups')
      .reduce((sum, one) => sum + Number((one['status'] as { runs?: number } | undefined)?.runs ?? 0), 0);
  await fault('crash-leader')?.run();
  expect(replicas.leader).not.toBe(leader);
  const before = runs();
  await expect.poll(runs, DEADLINE).toBeGreaterThan(before);
  await expect.poll(() => replicas.standbys, DEADLINE).toBe(1);
  // The crashed one stays on the page for a while.
  expect(states().toSorted()).toEqual(['ended', 'leading', 'standby']);
}, 180_000);
