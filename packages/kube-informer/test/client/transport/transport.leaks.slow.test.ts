import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { FaultProxy, type Handler } from '../rig/scripted-server.ts';
import {
  certificates,
  failure,
  get,
  nextText,
  reader,
  serve,
  stopLater,
  textOf,
  transportTo,
  until,
  watch,
} from '../rig/transport-rig.ts';

const certs = certificates();

/** Counts what keeps a process busy, by kind. */
function resources(): Record<string, number> {
  const count: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) count[kind] = (count[kind] ?? 0) + 1;
  return count;
}

const answers: Handler = (request, answer) => {
  if (request.url === '/never') return;
  answer.writeHead(200);
  if (request.url === '/open') answer.write('line\n');
  else answer.end('x'.repeat(1_000));
};

describe.each(['h1', 'h2'] as const)('nothing stays behind, on %s', (protocol) => {
  test('no listener, timer, stream or socket is left by requests that ended in any way', async () => {
    const { authority, pair } = certs();
    const server = await serve({ pair, protocol, handler: answers });
    const proxy = await stopLater(FaultProxy.start(server.port));
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warn);
    const before = resources();
    const forever = new AbortController();
    const { signal } = forever;
    const transport = transportTo(proxy, authority.ca, { limits: { pingAfterMs: 20 } });
    // On its own: a busy machine is silent for longer than this, and the others must not mind.
    const impatient = transportTo(proxy, authority.ca, { limits: { pingAfterMs: 20, silenceMs: 100 } });
    for (let round = 0; round < 3; round += 1) {
      // Read to the end, left early, never read, refused by the headers timeout, silent.
      await Promise.all(Array.from({ length: 12 }, async () => textOf(await transport.send(get('/', { signal })))));
      await Promise.all(
        Array.from({ length: 12 }, async () => {
          const chunks = reader(await transport.send(watch('/open', { signal })));
          await nextText(chunks);
          await chunks.return?.();
        }),
      );
      await reader(await transport.send(watch('/open', { signal }))).return?.();
      await failure(transport.send(watch('/never', { signal, headersTimeoutMs: 40 })));
      await failure(textOf(await impatient.send(get('/open', { signal }))));
      // Aborted at every point.
      for (const path of ['/', '/open', '/never']) {
        for (const ms of [0, 1, 3, 10]) {
          const stop = new AbortController();
          const work = (async () => textOf(await transport.send(watch(path, { signal: stop.signal }))))().catch(
            () => {},
          );
          await sleep(ms);
          stop.abort();
          await work;
          expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
        }
      }
      // Cut.
      const open = await transport.send(watch('/open', { signal }));
      proxy.reset();
      await failure(textOf(open));
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    for (const one of [transport, impatient]) {
      expect(one.stats().streams).toBe(0);
      await one.close();
      expect(one.stats().connections).toBe(0);
    }
    await until('the server sees nobody', () => server.sockets.size === 0 && proxy.sockets.size === 0);
    await until('nothing keeps the process busy that did not before', () => {
      const now = resources();
      return ['TCPSocketWrap', 'TLSWrap', 'Timeout', 'PipeWrap'].every(
        (kind) => (now[kind] ?? 0) <= (before[kind] ?? 0),
      );
    }).catch(() => expect(resources()).toEqual(before));
    process.off('warning', warn);
    expect(warnings.map(({ message }) => message)).toEqual([]);
  });
});
