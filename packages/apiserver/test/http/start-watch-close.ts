import { setImmediate } from 'node:timers/promises';
import { startApiServer } from '../../src/index.ts';
import { CONFIG_MAPS, open, until, watch } from '../faults/client.ts';

/** A server with watches of every kind, closed. Says what still keeps this process alive, which must be nothing. */
const server = await startApiServer({ profile: 'demo', admin: true });
const streams = [
  await watch(server, { http2: true }),
  await watch(server, { more: '&allowWatchBookmarks=true' }),
  open(server, `${CONFIG_MAPS}?resourceVersion=1000000`, { http2: true }),
];
await server.close();
await until(() => streams.every(({ outcome }) => outcome !== undefined));
for (const stream of streams) stream.close();
await setImmediate();
const waiting = process
  .getActiveResourcesInfo()
  .filter((name) => !/PipeWrap|TTYWrap|Immediate|FSReqPromise/.test(name));
process.stdout.write(JSON.stringify(waiting));
