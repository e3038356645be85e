/** The process that is killed: two informers that run until it is ended. See offspring.ts. */
import type { Birth, Word } from './offspring.ts';
import { settle } from './settle.ts';
import { Watched } from './watched.ts';

const say = (word: Word): void => void process.send?.(word);
// Ends when its parent has ended.
process.once('disconnect', () => process.exit(0));
const received = (): Promise<unknown> => new Promise((resolve) => process.once('message', resolve));

const began = Date.now();
const { connect } = (await received()) as Birth;
const watched = await Promise.all([
  Watched.start({ name: 'watch-list', connect, resource: 'v1/configmaps' }),
  Watched.start({ name: 'pages', connect: { ...connect, http2: false }, resource: 'v1/configmaps', informer: { watchList: false, pageSize: 50 } }),
]); // prettier-ignore
// It is not told about restores of the storage; informers that outlive it count them.
for (const { setBack } of watched) setBack.perhaps = Number.POSITIVE_INFINITY;
// Printed at once: the process may be killed the next moment.
let said = 0;
setInterval(() => {
  watched.forEach((one) => one.sample());
  const violations = watched.flatMap((one) => one.violations);
  if (violations.length > said) say({ type: 'wrong', violations });
  said = violations.length;
}, 250);
await Promise.all(watched.map(({ informer }) => informer.synced()));
say({ type: 'synced', ms: Date.now() - began });

for (;;) {
  const { last } = (await received()) as { last: string };
  const found = await Promise.all(watched.map((one) => settle(one, last)));
  say({ type: 'settled', violations: found.flat() });
}
