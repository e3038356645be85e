import { SharedInformer } from 'kube-informer';
import { Client, type ClientConnectOptions } from 'kube-informer/client';

/** The address of the cluster, and an empty namespace. */
export interface ProgramSettings extends ClientConnectOptions {
  readonly namespace: string;
}

/** The result of the program; the same on every platform. */
export interface ProgramReport {
  readonly heard: readonly string[];
  readonly cached: readonly string[];
  readonly state: string;
  readonly consistent: boolean;
  readonly runtime: 'node' | 'deno' | 'bun' | 'browser';
}

const WAIT = { timeoutMs: 60_000 };

/** Runs an informer on a real cluster: it syncs, receives three changes, is compared with the server, and closes everything. */
export async function informerProgram(settings: ProgramSettings): Promise<ProgramReport> {
  const { namespace } = settings;
  await using client = await Client.connect(settings);
  const configMaps = client.resource('v1/configmaps');
  await configMaps.create({ metadata: { namespace, name: 'before' }, data: { at: '1' } });

  const heard: string[] = [];
  const informer = new SharedInformer(configMaps.listWatch({ namespace }));
  informer.on({
    add: ({ key, object, initial }) => void heard.push(`add ${key} ${object.data?.['at']}${initial ? ' initial' : ''}`),
    update: ({ key, object, old }) => void heard.push(`update ${key} ${old.data?.['at']} ${object.data?.['at']}`),
    delete: ({ key }) => void heard.push(`delete ${key}`),
  });
  await informer.start().synced(WAIT);
  try {
    const made = await configMaps.create({ metadata: { namespace, name: 'after' }, data: { at: '2' } });
    const changed = await configMaps.replace({ ...made, data: { at: '3' } });
    await informer.waitForVersion(changed.metadata?.resourceVersion ?? '', WAIT);
    await configMaps.delete(`${namespace}/before`);
    for (const deadline = Date.now() + WAIT.timeoutMs; heard.length < 4 && Date.now() < deadline;)
      await new Promise((resolve) => setTimeout(resolve, 10));
    const { consistent } = await informer.verify();
    const cached = informer.list().map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`);
    return { heard, cached, state: informer.state.kind, consistent, runtime: runtime() };
  } finally {
    await informer.stop();
  }
}

/** The runtime, read here and not by the client, so that a test knows where it ran. */
function runtime(): ProgramReport['runtime'] {
  const found = globalThis as { readonly Deno?: unknown; readonly Bun?: unknown; readonly process?: unknown };
  if (found.Deno !== undefined) return 'deno';
  if (found.Bun !== undefined) return 'bun';
  return found.process === undefined ? 'browser' : 'node';
}
