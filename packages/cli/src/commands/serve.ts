import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiServer, ScenarioName } from '@kube-informer/apiserver';
import { definedInObject } from '@kube-informer/inspector/internal';
import { type Invocation, invocationError } from '../arguments/invocation.ts';
import { EXIT } from '../host/exit-code.ts';
import type { Command } from '../arguments/command.ts';
import type { Host } from '../host/host.ts';
import { FORCE_OPTION } from '../arguments/options.ts';
import { signalAborted } from '../host/signals.ts';
import { stylePalette } from '../text/style.ts';
import { safe } from '../text/safe.ts';
import { escapeText } from '../text/escape.ts';

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
export async function serveCommandKubeconfig(server: ApiServer, path?: string): Promise<Served> {
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
export function isServeCommandForced(invocation: Invocation, { environment }: Host): boolean {
  const force = invocation.has('force');
  if (environment['NODE_ENV'] === 'production' && !force)
    throw invocationError(
      'NODE_ENV is production, and this API server is for tests and demos: use --force to start it anyway',
    );
  return force;
}

export const serve: Command = {
  name: 'serve',
  summary: 'runs a Kubernetes API server for tests, without etcd or Docker',
  usage: '[options]',
  about:
    'For tests and experiments. Listens on localhost only; Ctrl-C stops it. Objects are stored in memory, or in a folder\n' +
    'with --data. The kubeconfig it writes works with kubectl and all client libraries.',
  examples: [
    ['kube-informer serve', 'on a free port'],
    ['kube-informer serve --port 6443 --profile demo', 'with controllers, like a cluster'],
    ['kube-informer serve --port 6443 --data ./cluster', 'keeps its objects across restarts'],
    ['kube-informer serve --faults flaky-network', 'to test how clients recover'],
  ],
  options: {
    port: { type: 'string', short: 'p', value: 'number', help: 'port to listen on; default: a free port' },
    profile: {
      type: 'string',
      value: 'demo|envtest',
      help: 'envtest: API server only; demo: with garbage collection, namespace and pod deletion; default: envtest',
      choices: ['demo', 'envtest'],
    },
    data: {
      type: 'string',
      value: 'folder',
      help: 'store objects in this folder; default: in memory',
    },
    faults: { type: 'string', value: LASTING.join('|'), help: 'inject faults', choices: LASTING },
    'write-kubeconfig': {
      type: 'string',
      value: 'file',
      help: 'write the kubeconfig to this file; default: a temporary folder',
    },
    ...FORCE_OPTION,
  },
  positionals: { max: 0 },

  async run(invocation, host) {
    const { stdout, signal, environment } = host;
    const port = invocation.number('port', { min: 0, max: 65_535, fallback: 0 });
    const profile = invocation.text('profile') === 'demo' ? 'demo' : 'envtest';
    const force = isServeCommandForced(invocation, host);
    // Loaded on demand: it would slow down the start of other commands.
    const { startApiServer } = await import('@kube-informer/apiserver');
    const data = invocation.text('data');
    const server = await startApiServer({ port, profile, force, ...definedInObject({ data }) });
    const served = await serveCommandKubeconfig(server, invocation.text('write-kubeconfig'));
    try {
      const faults = LASTING.find((one) => one === invocation.text('faults'));
      if (faults !== undefined) server.faults.scenario(faults);
      const palette = stylePalette(stdout.isTerminal, environment);
      stdout.write(
        safe`${palette('bold', safe`Kubernetes API`)} at ${escapeText(`${server.url} (profile ${profile}${faults === undefined ? '' : `, faults ${faults}`})`)}\n`,
      );
      const kubeconfig = escapeText(served.kubeconfig);
      stdout.write(safe`kubeconfig: ${kubeconfig}\n\n`);
      stdout.write(safe`  kubectl --kubeconfig ${kubeconfig} get namespaces\n`);
      stdout.write(safe`  kube-informer watch namespaces --kubeconfig ${kubeconfig}\n\n`);
      stdout.write(safe`Press Ctrl-C to stop.\n`);
      await signalAborted(signal);
      if (signal.reason !== 'output closed') stdout.write(safe`stopped\n`);
      return EXIT.success;
    } finally {
      await served[Symbol.asyncDispose]();
    }
  },
};
