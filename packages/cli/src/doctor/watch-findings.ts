import type { KubeObject } from 'kube-informer';
import type { Client, ResourceClient } from 'kube-informer/client';
import { type Env, INITIAL_EVENTS_END, type WatchEvent } from 'kube-informer/core';
import { describeCommandFailure } from '../output/command-failure.ts';
import type { Rights } from './permission-findings.ts';
import { anySignal } from '../host/signals.ts';
import {
  failDoctorFinding,
  type Finding,
  noteDoctorFinding,
  okDoctorFinding,
  warnDoctorFinding,
} from './doctor-finding.ts';

const WATCH_LIST_MS = 10_000;
/** Timeout of the watch. Servers send a bookmark shortly before a watch ends, so a short watch gets one soon. */
const BOOKMARK_SECONDS = 5;
const BOOKMARK_MS = 10_000;

/** Opens watches on a small resource and checks what arrives. */
export async function* watchFindings(
  client: Client,
  rights: Rights,
  env: Env,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const name = ['namespaces', 'nodes', 'services', 'pods'].find((one) => rights.allNamespaces.includes(one));
  const local = rights.ownNamespace[0];
  if (name === undefined && local === undefined) return;
  // A resource that is allowed in one namespace only is watched there.
  const api = client.resource<KubeObject>(name === undefined ? (local ?? '') : `v1/${name}`);
  const scope = name === undefined ? { namespace: client.connection.namespace } : {};
  yield await watchListFinding(api, scope, env, signal);
  yield await watchFindingOfBookmarks(api, scope, env, signal);
}

type Api = ResourceClient<KubeObject>;

async function watchListFinding(api: Api, scope: object, env: Env, signal: AbortSignal): Promise<Finding> {
  const topic = 'watch-list';
  const options = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true } as const;
  try {
    let objects = 0;
    const found = await doesDoctorWatchDeliver(
      WATCH_LIST_MS,
      env,
      signal,
      (stop) => api.watch({ ...scope, ...options, signal: stop }),
      (event) => {
        if (event.type === 'ADDED') objects += 1;
        return event.type === 'BOOKMARK' && event.object.metadata?.annotations?.[INITIAL_EVENTS_END] === 'true';
      },
    );
    if (found) return okDoctorFinding(topic, `supported: received ${objects} ${api.name} as a stream`);
    return warnDoctorFinding(
      topic,
      'the streamed list was not complete in time',
      'no action needed: informers use paged lists instead',
    );
  } catch (error) {
    const { message } = describeCommandFailure(error);
    return noteDoctorFinding(topic, `not supported by this server (${message}): informers use paged lists`);
  }
}

async function watchFindingOfBookmarks(api: Api, scope: object, env: Env, signal: AbortSignal): Promise<Finding> {
  const topic = 'watch';
  try {
    const { metadata } = await api.list({ ...scope, limit: 1, signal, attempts: 'once' });
    const startedAt = env.now();
    const options = {
      resourceVersion: metadata?.resourceVersion ?? '',
      allowWatchBookmarks: true,
      timeoutSeconds: BOOKMARK_SECONDS,
    };
    const found = await doesDoctorWatchDeliver(
      BOOKMARK_MS,
      env,
      signal,
      (stop) => api.watch({ ...scope, ...options, signal: stop }),
      ({ type }) => type === 'BOOKMARK',
    );
    const after = ((env.now() - startedAt) / 1_000).toFixed(1);
    if (found) return okDoctorFinding(topic, `works; received a bookmark after ${after} s`);
    // A bookmark without a new version is not sent.
    return noteDoctorFinding(
      topic,
      `works; received no bookmark in ${BOOKMARK_SECONDS} s, which is normal if nothing changes`,
    );
  } catch (error) {
    const { message, advice } = describeCommandFailure(error);
    return failDoctorFinding(topic, message, advice ?? 'check for a proxy that closes long-lived connections');
  }
}

/** Resolves with whether a matching event arrived before the watch ended or the time was over. */
async function doesDoctorWatchDeliver(
  timeoutMs: number,
  env: Env,
  signal: AbortSignal,
  open: (signal: AbortSignal) => AsyncIterable<WatchEvent<KubeObject>>,
  matches: (event: WatchEvent<KubeObject>) => boolean,
): Promise<boolean> {
  const stop = new AbortController();
  const both = anySignal(stop.signal, signal);
  void env.sleep(timeoutMs, both).then(() => stop.abort());
  try {
    for await (const event of open(both)) {
      if (event.type === 'ERROR') throw new Error(event.object.message ?? 'the watch failed');
      if (matches(event)) return true;
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    stop.abort();
  }
  return false;
}
