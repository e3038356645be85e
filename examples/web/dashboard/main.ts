// A live dashboard: pods of a cluster on a page that follows them. The page gets server-sent events, which browsers reconnect
// by themselves; every new connection begins with everything that is there.
//
//   npx tsx --conditions=@kube-informer/source examples/web/dashboard/main.ts      then open http://127.0.0.1:8080

// #region readme
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Cluster } from 'kube-informer';

await using cluster = await Cluster.connect();
const pods = cluster.informer('v1/pods'); // one cache, however many pages are open
const page = await readFile(new URL('index.html', import.meta.url));

/** Sends all pods, then `synced`, then each change, until the page is closed. */
async function follow(response: ServerResponse): Promise<void> {
  const closed = new AbortController();
  response.on('close', () => closed.abort());
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const send = (name: string, data: unknown): boolean =>
    response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  const forget = pods.onState(({ kind }) => send('state', kind)); // synced, stale, polling …: shown, not hidden
  send('state', pods.state.kind);
  for await (const change of pods.changes({ signal: closed.signal, synced: true })) {
    if (change.type === 'synced') send('synced', {});
    else if (change.type === 'delete') send('gone', change.key);
    else if (!send('pod', { key: change.key, phase: change.object.status?.phase ?? 'Pending' })) {
      // A slow page: wait until it has read. Meanwhile newer states replace older ones in the queue of this handler.
      await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    }
  }
  forget();
}

const server = createServer((request, response) => {
  if (request.url === '/pods') void follow(response);
  else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
});
server.listen(Number(process.env['PORT'] ?? 8080), '127.0.0.1');
await once(server, 'listening');
console.log(`open http://127.0.0.1:${(server.address() as AddressInfo).port}`);
await once(process, 'SIGINT');
server.close().closeAllConnections();
// #endregion
