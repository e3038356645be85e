import { Readable } from 'node:stream';
import type { PodConnections } from '../../core/connected-pod.ts';
import type { SpdyStream } from '../spdy/spdy-stream.ts';
import { type SpdyExchange, upgradeToSpdy } from '../spdy/spdy-upgrade.ts';
import { type ExecParameters, type ExecStreams, runExecCommand } from './exec-command.ts';
import type { PodConnectionOpening } from './pod-connection-opening.ts';

/**
 * Stream protocols, newest first. v4 ends with a Status, v3 has a stream for terminal sizes; v2 and v1 are
 * the same here.
 */
const PROTOCOLS = ['v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io'];
const WITH_SIZES: ReadonlySet<string> = new Set(PROTOCOLS.slice(0, 2));

/** Time after which a client that has not opened its streams is disconnected. */
const OPEN_STREAMS_WITHIN_MS = 30_000;

type StreamType = 'error' | 'stdin' | 'stdout' | 'stderr' | 'resize';

/** Runs a command with its streams over SPDY. */
export async function serveExecSpdy(
  exchange: SpdyExchange,
  opening: PodConnectionOpening,
  parameters: ExecParameters,
  exec: NonNullable<PodConnections['exec']>,
): Promise<void> {
  const streams = new Map<string, SpdyStream>();
  let opened: () => void = () => {};
  const spdy = await upgradeToSpdy(exchange, {
    ...opening,
    protocols: PROTOCOLS,
    accept: (stream) => {
      const type = stream.headers.get('streamtype') ?? '';
      if (streams.has(type)) stream.destroy();
      else streams.set(type, stream);
      opened();
    },
  });
  if (spdy === undefined) return;
  const { connection, protocol } = spdy;
  const wanted = wantedExecStreams(parameters, protocol);
  const areOpen = (): boolean => wanted.every((type) => streams.has(type));
  await new Promise<void>((resolve) => {
    const waiting = new AbortController();
    opened = () => {
      if (!areOpen()) return;
      waiting.abort();
      resolve();
    };
    opened();
    const signal = AbortSignal.any([waiting.signal, exchange.gone]);
    if (!areOpen()) void opening.sleep(OPEN_STREAMS_WITHIN_MS, signal).then(resolve);
  });
  if (areOpen() && !exchange.gone.aborted) {
    // Sizes of the terminal are not forwarded; unread, they would block the connection.
    streams.get('resize')?.resume();
    const send: ExecStreams['send'] = (type, data) =>
      new Promise((resolve) => {
        const stream = streams.get(type);
        // The callback is also called, with an error, when the client has reset the stream.
        if (stream === undefined) resolve();
        else stream.write(data, () => resolve());
      });
    const stdin = streams.get('stdin') ?? Readable.from([]);
    const hasStatus = protocol === PROTOCOLS[0];
    await runExecCommand(parameters, { stdin, send, hasStatus, signal: exchange.gone }, exec);
    for (const stream of streams.values()) stream.end();
  }
  connection.close();
}

function wantedExecStreams({ stdin, stdout, stderr, tty }: ExecParameters, protocol: string): StreamType[] {
  const all: Readonly<Record<StreamType, boolean>> = {
    error: true,
    stdin,
    stdout,
    stderr: stderr && !tty,
    resize: tty && WITH_SIZES.has(protocol),
  };
  return (Object.keys(all) as StreamType[]).filter((type) => all[type]);
}
