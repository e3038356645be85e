import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { run } from '@kube-informer/controller';
import { Cluster } from 'kube-informer';
import { systemEnv } from 'kube-informer/core';
import { promMetrics } from 'kube-informer/prometheus';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { freePorts } from '../../harness/control-plane.ts';
import { sites } from './sites.ts';

/** A running sites operator. */
export interface RunningOperator {
  readonly name: 'ours' | 'controller-runtime';
  /** What Prometheus would read. */
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

export type StartOperator = (kubeconfig: string) => Promise<RunningOperator>;

export const startOurs: StartOperator = async (kubeconfigFile) => {
  const env = { ...systemEnv, log: () => {} };
  const cluster = await Cluster.connect({ kubeconfigFile, proxy: false, env });
  const registry = new Registry();
  const metrics = promMetrics({ Counter, Gauge, Histogram, register: registry });
  const operator = run([sites(cluster)], { metrics, env });
  return {
    name: 'ours',
    metrics: () => registry.metrics(),
    async stop() {
      await operator.stop();
      await cluster.close();
    },
  };
};

/** Starts the Go program. */
export const startTheirs =
  (program: string): StartOperator =>
  async (kubeconfig) => {
    const [port] = await freePorts(1);
    const child = spawn(program, ['operator', `127.0.0.1:${port}`], {
      env: { ...process.env, KUBECONFIG: kubeconfig },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    return {
      name: 'controller-runtime',
      metrics: async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
      async stop() {
        process.off('exit', kill);
        if (child.exitCode !== null) throw new Error(`controller-runtime ended with ${child.exitCode}`);
        const ended = once(child, 'exit');
        child.stdin.end('\n');
        await ended;
      },
    };
  };
