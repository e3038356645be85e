import type { ApiObject } from '@kube-informer/apiserver';
import {
  isFieldConditionTrue,
  objectFieldCondition,
  objectFieldItems,
  objectFieldText,
} from '@kube-informer/inspector/internal';
import { isDemoImageBroken } from './demo-nodes.ts';
import { GROUP, NODES } from './seed-demo.ts';
import {
  worldDraft,
  pickInWorld,
  putWorldStatus,
  worldNameSuffix,
  worldTimestamp,
  type DemoServer,
  type World,
} from './demo-world.ts';

/** Something that happens in the demo. */
type Turn = 'scale' | 'roll' | 'break' | 'crash' | 'kill' | 'backup' | 'node' | 'settings';

/** Starts with one of each kind that is visible soon; continues at random. */
const OPENING: readonly Turn[] = ['scale', 'crash', 'roll', 'backup', 'break', 'kill'];
const LATER: readonly Turn[] = [
  'scale',
  'scale',
  'roll',
  'roll',
  'break',
  'crash',
  'crash',
  'kill',
  'backup',
  'node',
  'settings',
];

const PAUSE_MS = 1_500;
/** Delay until a broken release is rolled back. */
const ROLLBACK_MS = 9_000;
const NODE_DOWN_MS = 8_000;
/** Time until a backup that a user requested is deleted. */
const BACKUP_KEPT_MS = 20_000;

/** Changes the cluster every few seconds, as users and accidents do. */
export class Story {
  readonly #world: World;
  readonly #server: DemoServer;
  readonly #pending: { readonly at: number; readonly run: () => void }[] = [];
  #turns = 0;
  #nextAt: number;

  constructor(world: World, server: DemoServer) {
    this.#world = world;
    this.#server = server;
    this.#nextAt = world.env.now() + PAUSE_MS;
  }

  step(): void {
    const { env } = this.#world;
    const now = env.now();
    for (const due of this.#pending.filter(({ at }) => at <= now)) {
      this.#pending.splice(this.#pending.indexOf(due), 1);
      due.run();
    }
    if (now < this.#nextAt) return;
    const turn = OPENING[this.#turns] ?? pickInWorld(LATER, () => env.random()) ?? 'scale';
    this.#turns += 1;
    this.#nextAt = now + PAUSE_MS + env.random() * 2_000;
    this.#take(turn);
  }

  #take(turn: Turn): void {
    switch (turn) {
      case 'scale':
        return this.#change((spec) => (spec['replicas'] = 1 + Math.floor(this.#world.env.random() * 4)));
      case 'roll':
        return this.#change((spec) => bumpStoryImage(spec, ''));
      case 'break':
        return this.#release();
      case 'crash':
        return this.#withPod(({ namespace = '', name = '' }) => void this.#server.exitContainers(namespace, name));
      case 'kill':
        return this.#withPod(
          ({ namespace = '', name = '' }) => void this.#world.local.remove('', 'pods', namespace, name),
        );
      case 'backup':
        return this.#backup();
      case 'node':
        return this.#node();
      case 'settings':
        return this.#settings();
    }
  }

  #change(change: (spec: Record<string, unknown>) => unknown, deployment = this.#some('apps', 'deployments')): void {
    if (deployment === undefined) return;
    const changed = worldDraft(deployment);
    change(changed['spec'] as Record<string, unknown>);
    this.#world.local.update('apps', 'deployments', changed);
  }

  /** Releases a broken image, and rolls back later. */
  #release(): void {
    const deployment = this.#some('apps', 'deployments');
    if (deployment === undefined) return;
    this.#change((spec) => bumpStoryImage(spec, '-broken'), deployment);
    const { namespace = '', name = '' } = deployment.metadata ?? {};
    this.#later(ROLLBACK_MS, () => {
      const now = this.#world.local.get('apps', 'deployments', namespace, name);
      if (now === undefined) return;
      this.#change((spec) => bumpStoryImage(spec, ''), now);
      this.#world.recordEvent(now, 'Normal', 'DeploymentRollback', 'Rolled back a release that did not start');
    });
  }

  /** A user requests a backup, and deletes it later: the controller drops its dumps first. */
  #backup(): void {
    const { local, env } = this.#world;
    const database = pickInWorld(['orders', 'cache'], () => env.random()) ?? 'orders';
    const name = `${database}-now-${worldNameSuffix(() => env.random())}`;
    const metadata = { namespace: 'db', name };
    local.create(GROUP, 'backups', { apiVersion: `${GROUP}/v1`, kind: 'Backup', metadata, spec: { database } });
    this.#later(BACKUP_KEPT_MS, () => {
      if (local.get(GROUP, 'backups', 'db', name) !== undefined) local.remove(GROUP, 'backups', 'db', name);
    });
  }

  #node(): void {
    const name = pickInWorld(NODES.slice(1), () => this.#world.env.random()) ?? '';
    this.#setNode(name, false);
    this.#later(NODE_DOWN_MS, () => this.#setNode(name, true));
  }

  #setNode(name: string, ready: boolean): void {
    const { local, env, recordEvent } = this.#world;
    const node = local.get('', 'nodes', '', name);
    if (node === undefined) return;
    const since = worldTimestamp(env.wallNow());
    const next = {
      type: 'Ready',
      status: ready ? 'True' : 'False',
      reason: ready ? 'KubeletReady' : 'KubeletNotReady',
      message: ready ? 'kubelet is posting ready status' : 'container runtime is down',
      lastHeartbeatTime: since,
      lastTransitionTime: since,
    };
    const others = objectFieldItems(node, 'status.conditions').filter(
      (one) => objectFieldText(one, 'type') !== 'Ready',
    );
    putWorldStatus(this.#world, '', 'nodes', node, { conditions: [...others, next] });
    recordEvent(
      node,
      ready ? 'Normal' : 'Warning',
      ready ? 'NodeReady' : 'NodeNotReady',
      `Node ${name} status is now: ${ready ? 'NodeReady' : 'NodeNotReady'}`,
    );
  }

  #settings(): void {
    const map = this.#some('', 'configmaps', (object) => object.metadata?.name?.endsWith('-settings') === true);
    if (map === undefined) return;
    const changed = worldDraft(map);
    const level = objectFieldText(map, 'data.LOG_LEVEL');
    changed['data'] = { ...(changed['data'] as object), LOG_LEVEL: level === 'info' ? 'debug' : 'info' };
    this.#world.local.update('', 'configmaps', changed);
  }

  #withPod(act: (pod: NonNullable<ApiObject['metadata']>) => void): void {
    const pod = this.#some(
      '',
      'pods',
      (one) =>
        isFieldConditionTrue(objectFieldCondition(one, 'Ready')) &&
        one.metadata?.deletionTimestamp === undefined &&
        !objectFieldItems(one, 'spec.containers').some((c) => isDemoImageBroken(objectFieldText(c, 'image'))),
    );
    if (pod?.metadata !== undefined) act(pod.metadata);
  }

  #some(group: string, resource: string, fits: (object: ApiObject) => boolean = () => true): ApiObject | undefined {
    const { local, env } = this.#world;
    return pickInWorld(local.list(group, resource).filter(fits), () => env.random());
  }

  #later(ms: number, run: () => void): void {
    this.#pending.push({ at: this.#world.env.now() + ms, run });
  }
}

/** Increments the version of the first image. */
function bumpStoryImage(spec: Record<string, unknown>, mark: string): void {
  const containers = (spec['template'] as { spec: { containers: { image: string }[] } }).spec.containers;
  const [first] = containers;
  if (first === undefined) return;
  first.image = first.image.replace(/(\d+)(-broken)?$/, (_, last: string) => `${Number(last) + 1}${mark}`);
}
