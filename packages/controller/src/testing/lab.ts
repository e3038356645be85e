import { readFile } from 'node:fs/promises';
import { type ApiObject, type ApiServer, type ApiServerOptions, startApiServer } from '@kube-informer/apiserver';
import type { Resources } from '@kube-informer/kubernetes';
import { Cluster, type KubeObject } from 'kube-informer';
import { type BuiltInResource, Client, createTransport, resolveConnection, type Transport } from 'kube-informer/client';
import { isNotFound, type Key, type KnownOptions, KubeError, requireKnown, splitKey } from 'kube-informer/core';
import { fakeEnv, type FakeEnv, seededRandom } from 'kube-informer/testing';
import { parseAllDocuments } from 'yaml';
import type { Controller } from '../front/controller.ts';
import type { ResourceNameFor } from 'kube-informer/client';
import { type Operator, type OperatorOptions, run } from '../operator/operator.ts';
import { untilQuiet } from './quiet.ts';
import { Traffic } from './lab-traffic.ts';

export interface LabOptions {
  /** Definitions of custom resources: YAML files, or objects. */
  readonly definitions?: readonly (string | ApiObject)[];
  /** Objects that exist from the start. Their namespaces are created. */
  readonly objects?: readonly ApiObject[];
  /** Options of the embedded server, such as `controllers: ['garbageCollector']`. */
  readonly server?: Omit<ApiServerOptions, 'env' | 'tls' | 'auth' | 'host' | 'port'>;
  readonly env?: FakeEnv;
}

const LAB_OPTIONS: KnownOptions<LabOptions> = { definitions: true, objects: true, server: true, env: true };

/** Changes objects like a person with kubectl. */
export interface LabUser {
  /** Server-side apply by the manager `user`. Creates the namespace if there is none. */
  apply<T extends KubeObject>(object: T): Promise<KubeObject>;
  patch(resource: string, key: Key, patch: object): Promise<KubeObject>;
  delete(resource: string, key: Key): Promise<void>;
}

/** A server, a cluster and a clock. */
export interface Lab extends AsyncDisposable {
  readonly server: ApiServer;
  readonly cluster: Cluster;
  readonly env: FakeEnv;
  readonly user: LabUser;
  /** Starts controllers. They stop with the lab. */
  run(controllers: readonly Controller[], options?: OperatorOptions): Operator;
  /** Another cluster handle on the same server, for a second replica. */
  connect(): Promise<Cluster>;
  /** Resolves when nothing is left to do without the passing of time. */
  settled(): Promise<void>;
  /** Moves the clock, and runs everything that becomes due meanwhile. */
  advance(ms: number): Promise<void>;
  /** Objects that the server stores. */
  list<K extends BuiltInResource>(resource: K, namespace?: string): Resources[K][];
  list<C extends KubeObject = never, N extends string = string>(
    resource: ResourceNameFor<C, N>,
    namespace?: string,
  ): C[];
  get<K extends BuiltInResource>(resource: K, key: Key): Resources[K] | undefined;
  get<C extends KubeObject = never, N extends string = string>(
    resource: ResourceNameFor<C, N>,
    key: Key,
  ): C | undefined;
}

/**
 * Step of the clock: small while there are requests, so that the consequences of a timer are over before the
 * next one fires.
 */
const STEP_MS = 500;
const MAX_STEP_MS = 2_000;

/**
 * Starts an embedded server and a cluster on one fake clock. Requests go through the loopback; nothing waits for real time.
 *
 * @example
 * await using lab = await startLab({ definitions: ['backup-crd.yaml'] });
 * const operator = lab.run([backups(lab.cluster)]);
 */
export async function startLab(options: LabOptions = {}): Promise<Lab> {
  requireKnown('startLab', options, LAB_OPTIONS);
  const { definitions = [], objects = [], env = fakeEnv() } = options;
  // The random numbers of a fake environment are all 0, and uids are drawn from them, so all objects would share one.
  const serverEnv = { ...env, random: seededRandom(1) };
  const server = await startApiServer({ ...options.server, tls: false, auth: 'open', env: serverEnv });
  const loaded = (await Promise.all(definitions.map(readLabDefinitions))).flat();
  server.load(loaded);
  server.load([...labNamespaces(objects), ...objects]);
  const url = server.url;
  // A proxy from the environment must not be used for the loopback.
  const traffic = new Traffic();
  const to = { url, proxy: false } as const;
  const transport = async (): Promise<Transport> =>
    traffic.counted(await createTransport(await resolveConnection(to), { env }));
  const connect = async (): Promise<Cluster> => Cluster.connect({ ...to, env, transport: await transport() });
  const cluster = await connect();
  const client = await Client.connect({ ...to, env, userAgent: 'lab-user', transport: await transport() });
  const clusters = [cluster];
  const operators: Operator[] = [];
  const settled = (): Promise<void> => untilQuiet({ server, clusters, operators, traffic });

  const split = (resource: string): [group: string, plural: string] => {
    const parts = resource.split('/');
    return parts.length === 3 ? [parts[0] ?? '', parts[2] ?? ''] : ['', parts[1] ?? ''];
  };
  const list = (resource: string, namespace = ''): readonly ApiObject[] =>
    server.local.list(...split(resource), namespace);
  const get = (resource: string, key: Key): ApiObject | undefined => {
    const at = key.indexOf('/');
    return server.local.get(...split(resource), at === -1 ? '' : key.slice(0, at), key.slice(at + 1));
  };
  const lab = {
    server,
    cluster,
    env,
    user: labUser(client, server),
    run(controllers: readonly Controller[], how: OperatorOptions = {}): Operator {
      const { election: given, ...others } = how;
      const election = typeof given === 'string' ? { lease: given } : given;
      if (election !== undefined) server.load(labNamespaceObjects([splitKey(election.lease).namespace]));
      // The default identity has a random part, and would be the same for two replicas of a lab.
      const identity = `replica-${operators.length + 1}`;
      const elected = election === undefined ? {} : { election: { identity, ...election } };
      const operator = run(controllers, { env, ...others, ...elected });
      operators.push(operator);
      return operator;
    },
    async connect() {
      const another = await connect();
      clusters.push(another);
      return another;
    },
    settled,
    async advance(ms: number) {
      await settled();
      let step = STEP_MS;
      for (let left = ms; left > 0;) {
        const before = traffic.total;
        const moved = Math.min(step, left);
        await env.clock.advance(moved);
        await settled();
        left -= moved;
        step = traffic.total === before ? Math.min(step * 2, MAX_STEP_MS) : STEP_MS;
      }
    },
    list,
    get,
    async [Symbol.asyncDispose]() {
      const stopped = Promise.all(operators.map((operator) => operator.stop()));
      await untilLabStopped(stopped, env);
      await Promise.all([...clusters.map((one) => one.close()), client.close()]);
      await server.close();
    },
  };
  return lab as unknown as Lab;
}

/** Moves the clock until everything has stopped: runs have 30 s, and hung ones a little more. */
async function untilLabStopped(stopped: Promise<unknown>, env: FakeEnv): Promise<void> {
  let isDone = false;
  void stopped.then(() => (isDone = true));
  for (let step = 0; step < 1_000 && !isDone; step += 1) {
    // oxlint-disable-next-line no-restricted-globals -- sockets are real, also where time is not
    await new Promise((resolve) => void setImmediate(resolve));
    if (step % 10 === 9) await env.clock.advance(STEP_MS);
  }
}

function labUser(client: Client, server: ApiServer): LabUser {
  const find = async ({ apiVersion = '', kind = '' }: KubeObject): Promise<string> => {
    const { group, version, resource } = await client.discovery.find(`${apiVersion}/${kind}`);
    return group === '' ? `${version}/${resource}` : `${group}/${version}/${resource}`;
  };
  return {
    async apply(object) {
      server.load(labNamespaces([object as KubeObject as ApiObject]));
      return client.resource<KubeObject>(await find(object)).apply(object, { fieldManager: 'user', force: true });
    },
    patch: (resource, key, patch) => client.resource<KubeObject>(resource).patch(key, patch),
    async delete(resource, key) {
      try {
        await client.resource<KubeObject>(resource).delete(key);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    },
  };
}

async function readLabDefinitions(definition: string | ApiObject): Promise<ApiObject[]> {
  if (typeof definition !== 'string') return [definition];
  const documents = parseAllDocuments(await readFile(definition, 'utf8'));
  return documents.map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new KubeError('INVALID_OPTION', `definitions: ${definition}: ${error.message}`);
    return document.toJS() as ApiObject;
  });
}

function labNamespaces(objects: readonly ApiObject[]): ApiObject[] {
  return labNamespaceObjects(objects.map(({ metadata }) => metadata?.namespace ?? ''));
}

const labNamespaceObjects = (names: readonly string[]): ApiObject[] =>
  [...new Set(names)]
    .filter((name) => name !== '')
    .map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
