import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiServer, ControllerName, ScenarioName } from '@kube-informer/apiserver';
import { defined } from 'kube-informer/core';
import { type Invocation, invocationError, quoteInvocationWord } from '../arguments/invocation.ts';
import { demoNodes } from '../demo/demo-nodes.ts';
import { Simulation } from '../demo/simulation.ts';
import { EXIT } from '../host/exit-code.ts';
import type { Command } from '../arguments/command.ts';
import type { Host } from '../host/host.ts';
import { FORCE_OPTION } from '../arguments/output-option.ts';
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
  usage: '[options] [--exec -- <command> [argument …]]',
  about:
    'For tests and experiments. Listens on localhost only; Ctrl-C stops it. Objects are stored in memory, or in a folder\n' +
    'with --data. The kubeconfig it writes works with kubectl and all client libraries. With --exec, it runs a command with\n' +
    'KUBECONFIG set, stops with it and returns its exit code.',
  examples: [
    ['kube-informer serve', 'on a free port'],
    ['kube-informer serve -f config/crd --exec -- go test ./...', 'for one command, with your definitions'],
    ['kube-informer serve --port 6443 --profile demo', 'with controllers and workloads, like a cluster'],
    ['kube-informer serve --port 6443 --data ./cluster', 'keeps its objects across restarts'],
    ['kube-informer serve --faults flaky-network', 'to test how clients recover'],
  ],
  options: {
    port: { type: 'string', short: 'p', value: 'number', help: 'port to listen on; default: a free port' },
    exec: { type: 'boolean', help: 'run the command after -- with KUBECONFIG set, and exit with its exit code' },
    filename: {
      type: 'string',
      short: 'f',
      value: 'path',
      multiple: true,
      help: "manifests to install first, definitions before others: a file, a folder, or a pattern in quotes: 'crd/*.yaml'",
    },
    controllers: {
      type: 'string',
      value: 'all|names',
      help: 'controllers to run, with commas: deployments,jobs,nodes; default: none, all with --profile demo',
    },
    profile: {
      type: 'string',
      value: 'demo|envtest',
      help: 'envtest: API server only; demo: with all controllers and the workloads of the demo; default: envtest',
      choices: ['demo', 'envtest'],
    },
    auth: {
      type: 'string',
      value: 'dev|rbac',
      help: 'rbac: roles and bindings decide, as in a cluster; dev: every user may do everything; default: dev',
      choices: ['dev', 'rbac'],
    },
    data: {
      type: 'string',
      value: 'folder',
      help: 'store objects in this folder; default: in memory',
    },
    'repair-data': {
      type: 'boolean',
      help: 'with --data: start from a damaged folder, with everything before the damage; keeps the damaged files',
    },
    descriptions: {
      type: 'string',
      value: 'file',
      help: 'texts for kubectl explain: the output of kubectl get --raw /openapi/v2 on any cluster',
    },
    faults: { type: 'string', value: LASTING.join('|'), help: 'inject faults', choices: LASTING },
    'write-kubeconfig': {
      type: 'string',
      value: 'file',
      help: 'write the kubeconfig to this file; default: a temporary folder',
    },
    ...FORCE_OPTION,
  },

  async run(invocation, host) {
    const command = serveCommandProgram(invocation);
    const profile = invocation.text('profile') === 'demo' ? 'demo' : 'envtest';
    await using served = await serveCommandKubeconfig(
      await startServeCommand(invocation, host, profile),
      invocation.text('write-kubeconfig'),
    );
    const { server, kubeconfig } = served;
    const faults = LASTING.find((one) => one === invocation.text('faults'));
    if (faults !== undefined) server.faults.scenario(faults);
    const about = `profile ${profile}${faults === undefined ? '' : `, faults ${faults}`}`;
    const end = new AbortController();
    const running = profile === 'demo' ? new Simulation(server, host.env).run(end.signal) : undefined;
    try {
      if (command === undefined) return await untilServeCommandEnds(served, about, host);
      host.stderr.write(safe`Kubernetes API at ${escapeText(`${server.url} (${about})`)}\n`);
      return await host.runCommand(command, { KUBECONFIG: kubeconfig });
    } finally {
      end.abort();
      await running;
    }
  },
};

/** The command after `--`, if there is one. */
function serveCommandProgram(invocation: Invocation): readonly string[] | undefined {
  const [first] = invocation.positionals;
  const wantsCommand = invocation.has('exec');
  if (wantsCommand && first === undefined)
    throw invocationError('--exec: expected a command after --: kube-informer serve --exec -- go test ./...');
  if (!wantsCommand && first !== undefined)
    throw invocationError(`unexpected argument ${quoteInvocationWord(first)}; to run a command, add --exec before --`);
  return wantsCommand ? invocation.positionals : undefined;
}

async function startServeCommand(invocation: Invocation, host: Host, profile: 'demo' | 'envtest'): Promise<ApiServer> {
  const port = invocation.number('port', { min: 0, max: 65_535, fallback: 0 });
  const force = isServeCommandForced(invocation, host);
  // Loaded on demand: it would slow down the start of other commands.
  const { startApiServer } = await import('@kube-informer/apiserver');
  const data = invocation.text('data');
  const repairData = invocation.has('repair-data');
  if (repairData && data === undefined) throw invocationError('--repair-data: expected --data with a folder to repair');
  const manifests = invocation.texts('filename');
  const descriptions = invocation.text('descriptions');
  const names = invocation.text('controllers');
  // Checked by the server.
  const controllers = names === 'all' ? 'all' : (names?.split(',') as readonly ControllerName[] | undefined);
  const nodes = profile === 'demo' ? demoNodes(() => host.env.random()) : undefined;
  return startApiServer({
    port,
    profile,
    force,
    manifests,
    repairData,
    auth: invocation.text('auth') === 'rbac' ? 'rbac' : 'dev',
    ...defined({ data, controllers, nodes, descriptions }),
  });
}

/** Serves until the command is interrupted. */
async function untilServeCommandEnds({ server, kubeconfig: file }: Served, about: string, host: Host): Promise<number> {
  const { stdout, signal, environment } = host;
  const palette = stylePalette(stdout.isTerminal, environment);
  stdout.write(safe`${palette('bold', safe`Kubernetes API`)} at ${escapeText(`${server.url} (${about})`)}\n`);
  const kubeconfig = escapeText(file);
  stdout.write(safe`kubeconfig: ${kubeconfig}\n\n`);
  stdout.write(safe`  kubectl --kubeconfig ${kubeconfig} get namespaces\n`);
  stdout.write(safe`  kube-informer watch namespaces --kubeconfig ${kubeconfig}\n\n`);
  stdout.write(safe`Press Ctrl-C to stop.\n`);
  await signalAborted(signal);
  if (signal.reason !== 'output closed') stdout.write(safe`stopped\n`);
  return EXIT.success;
}
