import { startApiServer } from '../../../src/index.ts';
import { CONFIG_MAPS, open, until, watch } from '../stream-client.ts';

/** Starts a server, opens watches of every kind and closes it. Prints what still keeps the process alive, which must be nothing. */
const server = await startApiServer({ profile: 'demo', admin: true });
const streams = [
  await watch(server, { http2: true }),
  await watch(server, { more: '&allowWatchBookmarks=true' }),
  open(server, `${CONFIG_MAPS}?resourceVersion=1000000`, { http2: true }),
];
await server.close();
await until(() => streams.every(({ outcome }) => outcome !== undefined));
for (const stream of streams) stream.close();
// Reads of the module loader end by themselves; handles that were left open do not.
await until(() => keepers().length === 0).catch(() => {});
process.stdout.write(JSON.stringify(keepers()));

function keepers(): string[] {
  return process.getActiveResourcesInfo().filter((name) => !/PipeWrap|TTYWrap|Immediate|FSReqPromise/.test(name));
}
