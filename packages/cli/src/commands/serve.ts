import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiServer, ScenarioName } from '@kube-informer/apiserver';
import { defined } from '@kube-informer/inspector/internal';
import { type Invocation, usageError } from '../arguments/invocation.ts';
import { EXIT } from '../host/exit-code.ts';
import type { Command } from '../arguments/command.ts';
import type { Host } from '../host/host.ts';
import { FORCE_OPTION } from '../arguments/options.ts';
import { aborted } from '../host/signals.ts';
import { paletteFor } from '../text/style.ts';

/** Fault scenarios that last as long as the server. */
const LASTING = ['flaky-network', 'overload', 'old-server'] as const satisfies readonly ScenarioName[];

/** A running server and a kubeconfig file for it. */
export interface Served extends AsyncDisposable {
  readonly server: ApiServer;
  readonly kubeconfig: string;
}

/**
 * Writes a kubeconfig for a running server to `path`, or to a temporary folder only this user can read. The temporary
 * folder is removed with the server; `path` is kept.
 */
export async function withKubeconfig(server: ApiServer, path?: string): Promise<Served> {
  const folder = path === undefined ? await mkdtemp(join(tmpdir(), 'kube-')) : undefined;
  const kubeconfig = path ?? join(folder ?? '', 'config');
  const close = async (): Promise<void> => {
    await server.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    await server.writeKubeconfig(kubeconfig);
  } catch (error) {
    await close();
    throw error;
  }
  return { server, kubeconfig, [Symbol.asyncDispose]: close };
}

/** Whether `--force` is given. Throws INVALID_OPTION if NODE_ENV is production and it is not. */
export function isForced(invocation: Invocation, { environment }: Host): boolean {
  const force = invocation.has('force');
  if (environment['NODE_ENV'] === 'production' && !force)
    throw usageError(
      'NODE_ENV is production, and this API server is for tests and demos: --force starts it all the same',
    );
  return force;
}

export const serve: Command = {
  name: 'serve',
  summary: 'a Kubernetes API server inside this process: no Go, no etcd, no Docker',
  usage: '[options]',
  about:
    'For tests and for trying things out. It listens on the loopback only and ends with Ctrl-C. What is stored is kept in\n' +
    'memory, or with --data in a folder. The kubeconfig it writes works with kubectl and every client library.',
  examples: [
    ['kube-informer serve', 'on a free port'],
    ['kube-informer serve --port 6443 --profile demo', 'with controllers that make it feel like a cluster'],
    ['kube-informer serve --port 6443 --data ./cluster', 'goes on where it was the last time'],
    ['kube-informer serve --faults flaky-network', 'to see how clients behave'],
  ],
  options: {
    port: { type: 'string', short: 'p', value: 'number', help: 'the port to listen on; any free one if left out' },
    profile: {
      type: 'string',
      value: 'demo|envtest',
      help: 'envtest: the API server alone; demo: with garbage collection, namespaces and pods that end',
      choices: ['demo', 'envtest'],
    },
    data: {
      type: 'string',
      value: 'folder',
      help: 'keeps everything there, for the next time; nothing is kept if left out',
    },
    faults: { type: 'string', value: LASTING.join('|'), help: 'misbehaves like this', choices: LASTING },
    'write-kubeconfig': {
      type: 'string',
      value: 'file',
      help: 'where the kubeconfig goes; a temporary folder if left out',
    },
    ...FORCE_OPTION,
  },
  words: { max: 0 },

  async run(invocation, host) {
    const { stdout, signal, environment } = host;
    const port = invocation.number('port', { min: 0, max: 65_535, otherwise: 0 });
    const profile = invocation.text('profile') === 'demo' ? 'demo' : 'envtest';
    const force = isForced(invocation, host);
    // Loaded on demand: it would slow down the start of other commands.
    const { startApiServer } = await import('@kube-informer/apiserver');
    const data = invocation.text('data');
    const server = await startApiServer({ port, profile, force, ...defined({ data }) });
    const served = await withKubeconfig(server, invocation.text('write-kubeconfig'));
    try {
      const faults = LASTING.find((one) => one === invocation.text('faults'));
      if (faults !== undefined) server.faults.scenario(faults);
      const palette = paletteFor(stdout.isTerminal, environment);
      stdout.write(
        `${palette('bold', 'Kubernetes API')} at ${server.url} (profile ${profile}${faults === undefined ? '' : `, faults ${faults}`})\n`,
      );
      stdout.write(`kubeconfig: ${served.kubeconfig}\n\n`);
      stdout.write(`  kubectl --kubeconfig ${served.kubeconfig} get namespaces\n`);
      stdout.write(`  kube-informer watch namespaces --kubeconfig ${served.kubeconfig}\n\n`);
      stdout.write('Ctrl-C ends it.\n');
      await aborted(signal);
      if (signal.reason !== 'output closed') stdout.write('stopped\n');
      return EXIT.success;
    } finally {
      await served[Symbol.asyncDispose]();
    }
  },
};
