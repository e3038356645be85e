import { type Env, type KubeObject, systemEnv } from 'kube-informer';
import { Client } from 'kube-informer/client';
import { type Handler, SharedInformer } from 'kube-informer/informer';
import { keyOf } from './canonical.ts';
import { CONFIG_MAPS, type Script } from './script.ts';
import { type Notice, Story } from './story.ts';
import type { Address, Subject } from './subject.ts';

/** The same values as client-go gets by its environment: see go-client.ts. */
export const PING = { afterMs: 5_000, timeoutMs: 5_000 };
/** Events that the second handler may be behind before it holds the cache back. */
const HANGING_LIMIT = 4;

/** Starts our informer over our client. */
export async function startOurs(script: Script, address: Address): Promise<Subject> {
  const { subjects = CONFIG_MAPS, namespace, labelSelector, watchList = true, http1 = false, ours = {} } = script;
  const { url, ca, token, tokenFile } = address;
  let reopened = 0;
  let wallShiftMs = 0;
  const env: Env = {
    ...systemEnv,
    wallNow: () => systemEnv.wallNow() + wallShiftMs,
    log: (_level, _message, fields) => {
      const error = fields?.['error'];
      if (typeof error === 'string' && error.includes('silent: no byte')) reopened += 1;
    },
  };
  const client = await Client.connect({
    url,
    ca,
    ...(tokenFile === undefined ? { token } : { tokenFile }),
    proxy: false,
    http2: !http1,
    env,
    userAgent: 'kube-informer/differential',
    limits: {
      pingAfterMs: PING.afterMs,
      pingTimeoutMs: PING.timeoutMs,
      ...(ours.silenceMs === undefined ? {} : { silenceMs: ours.silenceMs }),
      ...(ours.headersMs === undefined
        ? {}
        : { headersTimeoutMs: ours.headersMs, longLivedHeadersTimeoutMs: ours.headersMs }),
    },
  });
  const name = [subjects.group, subjects.version, subjects.resource].filter((part) => part !== '').join('/');
  const source = client.resource<KubeObject>(name).listWatch({
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    // A relay that changes the text of a watch cannot read protobuf.
    ...(script.versions === undefined && script.rewrite === undefined ? {} : { wire: 'json' as const }),
  });
  const story = new Story();
  const errors: string[] = [];
  let epochs = 0;
  const informer = new SharedInformer<KubeObject>(source, {
    env,
    watchList,
    name: script.name,
    ...(script.resyncMs === undefined ? {} : { resyncMs: script.resyncMs }),
    ...(script.undigestible === undefined ? {} : { transform: refusing(script.undigestible) }),
    onEpochReset: () => {
      epochs += 1;
      story.newEpoch();
    },
    ...(ours.markerTimeoutMs === undefined ? {} : { markerTimeoutMs: ours.markerTimeoutMs }),
    onWatchError: (error) => void errors.push(error instanceof Error ? error.message : String(error)),
  });
  const registration = informer.on(teller(story, script.failOn));
  const gate = new Gate();
  if (script.hangingHandler === true) {
    const pass = (): Promise<void> => gate.passed;
    informer.on({ add: pass, update: pass, delete: pass }, { name: 'hanging', policy: 'block', limit: HANGING_LIMIT });
  }
  informer.start();
  let isOver = false;
  return {
    name: 'ours',
    story,
    errors,
    get isSynced() {
      return registration.hasSynced;
    },
    get isAlive() {
      return !informer.isStopped || isOver;
    },
    get isBehind() {
      return informer.state.kind === 'stale';
    },
    get epochs() {
      return epochs;
    },
    get reopened() {
      return reopened;
    },
    stepWallClock: (ms) => void (wallShiftMs += ms),
    hang: () => gate.close(),
    release: () => gate.open(),
    dump: async () => informer.list(),
    stop: async () => {
      isOver = true;
      gate.open();
      await informer.stop();
      await client.close();
    },
  };
}

/** Where the calls of the second handler wait. */
class Gate {
  #open: () => void = () => {};
  passed: Promise<void> = Promise.resolve();

  close(): void {
    this.passed = new Promise((resolve) => (this.#open = resolve));
  }

  open(): void {
    this.#open();
    this.passed = Promise.resolve();
  }
}

/** A transform that fails on one object. */
const refusing =
  (key: string) =>
  (object: KubeObject): KubeObject => {
    if (keyOf(object) === key) throw new Error(`a transform fails on ${key}`);
    return object;
  };

function teller(story: Story, failOn: string | undefined): Handler<KubeObject> {
  const tell = (key: string, object: KubeObject, rest: Pick<Notice, 'type'> & Partial<Notice>): void => {
    story.tell({ key, rv: versionOf(object), uid: object.metadata?.uid ?? '', ...rest });
    if (key === failOn) throw new Error(`a handler fails on ${key}`);
  };
  return {
    add: ({ key, object, initial }) => tell(key, object, { type: 'add', initial }),
    update: ({ key, object, old, resync }) => tell(key, object, { type: 'update', oldRv: versionOf(old), resync }),
    delete: ({ key, object, finalStateUnknown }) => tell(key, object, { type: 'delete', unknown: finalStateUnknown }),
  };
}

const versionOf = ({ metadata }: KubeObject): string => metadata?.resourceVersion ?? '';
