import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  buildClientGo,
  buildControllerRuntime,
  buildFabric8,
  buildKubeRs,
  buildNodePrograms,
  installClientNode,
  installNode,
  NotHere,
} from './build.ts';
import type { Contestant } from './contestant.ts';
import { MAIN_FORMS } from './node/forms.ts';

const run = promisify(execFile);
const NODES = ['20', '24', '26'];
const NEWEST = '26';
/** Families whose toolchains take minutes. They are built when a wanted name mentions them, or all are wanted. */
const SLOW_TO_BUILD: readonly string[] = ['kube-rs', 'fabric8'];
const BOTH = ['pods', 'widgets'] as const;
const ANY = ['watch-list', 'list'] as const;
const LIST = ['list'] as const;

export interface Wanted {
  /** Ours on the running Node, client-go and controller-runtime, in their main forms. */
  readonly isQuick: boolean;
  /** Every form of ours on every version of Node. */
  readonly isAll: boolean;
  /** Parts of names; only contestants that have one of them. */
  readonly names: readonly string[] | undefined;
}

/** Builds the contestants; one that cannot be built here is skipped with a warning. */
export async function findContestants(wanted: Wanted, log: (line: string) => void): Promise<Contestant[]> {
  const { isQuick, names } = wanted;
  const programs = await buildNodePrograms();
  const running = process.versions.node.split('.')[0] as string;
  const nodes = isQuick ? [running] : NODES;
  const families: Record<string, () => Promise<Contestant[]>> = {
    'client-go': () => clientGo(isQuick),
    'controller-runtime': controllerRuntime,
    ...Object.fromEntries(
      nodes.map((major) => [`kube-informer on Node ${major}`, () => ours(programs, major, wanted)]),
    ),
    ...(isQuick
      ? {}
      : { 'kube-rs': kubeRs, fabric8, 'client-node': () => clientNode(programs), limits: () => limits(programs) }),
  };
  const found: Contestant[] = [];
  for (const [name, find] of Object.entries(families)) {
    if (SLOW_TO_BUILD.includes(name) && names?.every((part) => !name.includes(part) && !part.includes(name))) continue;
    try {
      found.push(...(await find()));
    } catch (error) {
      if (!(error instanceof NotHere)) throw error;
      log(`SKIPPED: ${name}: ${error.message}`);
    }
  }
  return found.filter(
    ({ name, isMain }) =>
      (!isQuick || isMain || name === 'client-go dynamic') && (names?.some((part) => name.includes(part)) ?? true),
  );
}

async function ours(programs: string, major: string, { isAll, isQuick }: Wanted): Promise<Contestant[]> {
  const command = await installNode(major);
  const program = join(programs, 'ours.mjs');
  const forms = JSON.parse((await run(command, [program, 'forms'])).stdout) as string[];
  const isShown = (form: string): boolean => isAll || major === NEWEST || MAIN_FORMS.includes(form);
  const node = { family: 'kube-informer', resources: BOTH, initial: ANY } as const;
  const controllers = { command, args: ['--expose-gc', join(programs, 'controllers.mjs')] };
  return [
    ...forms.filter(isShown).map((form): Contestant => ({
      ...node,
      name: `kube-informer ${form}, Node ${major}`,
      role: 'cache',
      form,
      program: () => ({ command, args: ['--expose-gc', program] }),
      isMain: MAIN_FORMS.includes(form) && (isQuick || major === NEWEST),
    })),
    ...(['queue', 'controller'] as const).map((role): Contestant => ({
      ...node,
      name: `kube-informer ${role}, Node ${major}`,
      role,
      form: '',
      program: () => controllers,
      isMain: true,
    })),
  ];
}

async function clientGo(isQuick: boolean): Promise<Contestant[]> {
  const command = await buildClientGo();
  return ['protobuf', 'JSON', 'dynamic'].map((form) => ({
    name: `client-go ${form}`,
    family: 'client-go',
    role: 'cache',
    form,
    program: (initial) => ({
      command,
      args: [],
      env: { KUBE_FEATURE_WatchListClient: String(initial === 'watch-list') },
    }),
    // The dynamic client takes long for pods; where time is short it stands beside ours for custom resources only.
    resources: form === 'dynamic' ? (isQuick ? ['widgets'] : BOTH) : ['pods'],
    initial: ANY,
    isMain: form === 'protobuf',
  }));
}

async function controllerRuntime(): Promise<Contestant[]> {
  const command = await buildControllerRuntime();
  const go = { program: () => ({ command, args: [] }), resources: BOTH, initial: ANY, isMain: true } as const;
  return [
    { ...go, name: 'client-go workqueue', family: 'client-go', role: 'queue', form: 'workqueue' },
    {
      ...go,
      name: 'controller-runtime priorityqueue',
      family: 'controller-runtime',
      role: 'queue',
      form: 'priorityqueue',
    },
    ...(['typed', 'unstructured'] as const).map((form): Contestant => ({
      ...go,
      name: `controller-runtime ${form}`,
      family: 'controller-runtime',
      role: 'controller',
      form,
    })),
  ];
}

async function kubeRs(): Promise<Contestant[]> {
  const command = await buildKubeRs();
  const program = () => ({ command, args: [] });
  const rust = { name: 'kube-rs', family: 'kube-rs', role: 'cache', form: '', isMain: true } as const;
  return [{ ...rust, program, resources: BOTH, initial: ANY }];
}

async function fabric8(): Promise<Contestant[]> {
  const args = ['-cp', await buildFabric8(), 'bench.Main'];
  const program = () => ({ command: 'java', args });
  const java = { name: 'fabric8', family: 'fabric8', role: 'cache', form: '', isMain: true } as const;
  return [{ ...java, program, resources: BOTH, initial: LIST }];
}

async function clientNode(programs: string): Promise<Contestant[]> {
  const command = await installNode(NEWEST);
  const env = { CLIENT_NODE: await installClientNode() };
  const program = () => ({ command, args: ['--expose-gc', join(programs, 'client-node.mjs')], env });
  const name = `client-node, Node ${NEWEST}`;
  const node = { name, family: 'client-node', role: 'cache', form: '', isMain: true } as const;
  return [{ ...node, program, resources: BOTH, initial: LIST }];
}

async function limits(programs: string): Promise<Contestant[]> {
  const command = await installNode(NEWEST);
  const program = () => ({ command, args: ['--expose-gc', join(programs, 'limits.mjs')] });
  return ['drain protobuf', 'drain JSON', 'drain and parse JSON'].map((form) => ({
    name: `${form}, Node ${NEWEST}`,
    family: 'limit',
    role: 'limit',
    form,
    program,
    resources: form.includes('protobuf') ? ['pods'] : BOTH,
    initial: LIST,
    isMain: true,
  }));
}
