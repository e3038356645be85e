// A cache follows a small cluster through a broken connection and an expired history, and its handlers receive exactly
// what changed. Ends by itself.

heading('The informer starts. One pod exists already.');

// #region readme
import { type KubeObject, SharedInformer } from 'kube-informer';
import { FakeSource } from 'kube-informer/testing';

type Pod = KubeObject & { readonly phase: string };
const source = new FakeSource<Pod>(); // a server in memory; anything with list and watch will do
source.create({ metadata: { namespace: 'web', name: 'shop-0' }, phase: 'Running' });

const pods = new SharedInformer(source);
pods.on({
  add: ({ key, object, initial }) => console.log(`  + ${key}  ${object.phase}${initial ? '  (initial)' : ''}`),
  update: ({ key, object, old }) => console.log(`  ~ ${key}  ${old.phase} → ${object.phase}`),
  delete: ({ key, finalStateUnknown }) => console.log(`  - ${key}${finalStateUnknown ? '  (noticed late)' : ''}`),
});
await pods.start().synced({ timeoutMs: 30_000 });
// #endregion

import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';

const stop = new AbortController();
const { signal } = stop;
process.once('SIGINT', () => stop.abort());

function paint(style: 'bold' | 'dim', text: string): string {
  return process.stdout.isTTY && !process.env['NO_COLOR'] ? styleText(style, text) : text;
}

function heading(text: string): void {
  console.log(`\n${paint('bold', text)}`);
}

const pod = (name: string, phase: string): Pod => ({ metadata: { namespace: 'web', name }, phase });

/** How often the whole collection was read. */
const fullReads = (): number =>
  source.calls.filter(({ verb, options }) =>
    verb === 'list' ? options.limit !== 1 : options.sendInitialEvents === true,
  ).length;

async function step(title: string, change: () => void): Promise<void> {
  await sleep(800, undefined, { signal });
  heading(title);
  change();
  // When the cache has reached the server's newest version, the handlers are called next.
  await pods.waitForVersion(source.resourceVersion, { signal, timeoutMs: 5_000 });
  await sleep(50, undefined, { signal });
}

try {
  await step('The shop scales up.', () => {
    source.create(pod('shop-1', 'Pending'));
    source.update(pod('shop-1', 'Running'));
    source.create(pod('cart-0', 'Running'));
  });
  await step('A pod is deleted.', () => source.delete('web/shop-0'));

  await step('The connection breaks, and a pod fails before it is restored.', () => {
    source.cut();
    source.update(pod('cart-0', 'Failed'));
  });
  console.log(paint('dim', `  resumed where it was; full reads so far: ${fullReads()}`));

  await step('The connection breaks again, and the history of the server expires. shop-1 does not change.', () => {
    source.cut();
    source.delete('web/cart-0');
    source.create(pod('cart-1', 'Running'));
    source.expireHistory();
  });
  console.log(paint('dim', `  listed again, and only the differences reported; full reads so far: ${fullReads()}`));

  heading('Health');
  const { state, objects, resourceVersion } = pods.health();
  const { consistent } = await pods.verify(signal);
  console.log(`  ${state.kind}: ${objects} pods at version ${resourceVersion}, server is at ${source.resourceVersion}`);
  console.log(`  compared with the server: ${consistent ? 'no difference' : 'DIFFERENT'}`);
} catch (error) {
  if (!signal.aborted) throw error;
  console.log('\nStopped.');
} finally {
  await pods.stop();
}
