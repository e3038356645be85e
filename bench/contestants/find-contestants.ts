import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  buildClientGo,
  buildFabric8,
  buildKubeRs,
  buildNodePrograms,
  installClientNode,
  installNode,
  NotHere,
} from './build.ts';
import type { Contestant } from './contestant.ts';

const run = promisify(execFile);
const NODES = ['20', '24', '26'];
const BOTH = ['pods', 'widgets'] as const;
const ANY = ['watch-list', 'list'] as const;
const LIST = ['list'] as const;
/** Contestants of `--quick`. */
const QUICK = new Set(['kube-informer', 'client-go']);

/** Builds every contestant; one that cannot be built here is skipped with a warning. */
export async function findContestants(isQuick: boolean, log: (line: string) => void): Promise<Contestant[]> {
  const programs = await buildNodePrograms();
  const families: Record<string, () => Promise<Contestant[]>> = {
    'client-go': clientGo,
    ...Object.fromEntries(
      (isQuick ? [process.versions.node.split('.')[0] as string] : NODES).map((major) => [
        `kube-informer on Node ${major}`,
        () => ours(programs, major),
      ]),
    ),
    'kube-rs': kubeRs,
    fabric8,
    'client-node': () => clientNode(programs),
    limits: () => limits(programs),
  };
  const found: Contestant[] = [];
  for (const [name, find] of Object.entries(families)) {
    if (isQuick && !QUICK.has(name.split(' ')[0] as string)) continue;
    try {
      found.push(...(await find()));
    } catch (error) {
      if (!(error instanceof NotHere)) throw error;
      log(`SKIPPED: ${name}: ${error.message}`);
    }
  }
  return found;
}

async function ours(programs: string, major: string): Promise<Contestant[]> {
  const command = await installNode(major);
  const program = join(programs, 'ours.mjs');
  const forms = JSON.parse((await run(command, [program, 'forms'])).stdout) as string[];
  return forms.map((form) => ({
    name: `kube-informer ${form}, Node ${major}`,
    family: 'kube-informer',
    form,
    program: () => ({ command, args: ['--expose-gc', program] }),
    resources: BOTH,
    initial: ANY,
  }));
}

async function clientGo(): Promise<Contestant[]> {
  const command = await buildClientGo();
  return ['protobuf', 'JSON', 'dynamic'].map((form) => ({
    name: `client-go ${form}`,
    family: 'client-go',
    form,
    program: (initial) => ({
      command,
      args: [],
      env: { KUBE_FEATURE_WatchListClient: String(initial === 'watch-list') },
    }),
    resources: form === 'dynamic' ? BOTH : ['pods'],
    initial: ANY,
  }));
}

async function kubeRs(): Promise<Contestant[]> {
  const command = await buildKubeRs();
  const program = () => ({ command, args: [] });
  return [{ name: 'kube-rs', family: 'kube-rs', form: '', program, resources: BOTH, initial: ANY }];
}

async function fabric8(): Promise<Contestant[]> {
  const args = ['-cp', await buildFabric8(), 'bench.Main'];
  const program = () => ({ command: 'java', args });
  return [{ name: 'fabric8', family: 'fabric8', form: '', program, resources: BOTH, initial: LIST }];
}

async function clientNode(programs: string): Promise<Contestant[]> {
  const command = await installNode('26');
  const env = { CLIENT_NODE: await installClientNode() };
  const program = () => ({ command, args: ['--expose-gc', join(programs, 'client-node.mjs')], env });
  return [{ name: 'client-node, Node 26', family: 'client-node', form: '', program, resources: BOTH, initial: LIST }];
}

async function limits(programs: string): Promise<Contestant[]> {
  const command = await installNode('26');
  const program = () => ({ command, args: ['--expose-gc', join(programs, 'limits.mjs')] });
  return ['drain protobuf', 'drain JSON', 'drain and parse JSON'].map((form) => ({
    name: `${form}, Node 26`,
    family: 'limit',
    form,
    program,
    resources: form.includes('protobuf') ? ['pods'] : BOTH,
    initial: LIST,
    isLimit: true,
  }));
}
