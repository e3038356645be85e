// From node:https, also for plain sockets, as in http1.ts.
import { request } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { KubeError } from '../../../core/errors.ts';
import { addressWithoutBrackets } from '../addresses.ts';
import { decodeProxyCredential } from '../proxy.ts';
import { transportFailureCause } from '../transport-failure.ts';

/** The other end of a tunnel. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** The default port of each scheme. */
const SCHEMES: ReadonlyMap<string, number> = new Map([
  ['http:', 80],
  ['https:', 443],
  ['socks5:', 1080],
  ['socks5h:', 1080],
]);

/** Throws INVALID_OPTION for an unsupported scheme. Never prints user and password. */
export function checkProxyTunnel(proxy: URL): void {
  if (SCHEMES.has(proxy.protocol)) return;
  throw new KubeError(
    'INVALID_OPTION',
    `option proxy: expected http, https or socks5, got ${JSON.stringify(proxy.protocol)}`,
  );
}

export function proxyTunnelAddress(proxy: URL): Target {
  return { host: addressWithoutBrackets(proxy), port: Number(proxy.port) || (SCHEMES.get(proxy.protocol) as number) };
}

/** Asks the proxy behind `socket` to connect to `target`. Destroying the socket ends the wait. */
export function openProxyTunnel(socket: Socket, proxy: URL, target: Target): Promise<Socket> {
  return proxy.protocol.startsWith('socks5')
    ? socksProxyTunnel(socket, proxy, target)
    : httpProxyTunnel(socket, proxy, target);
}

function httpProxyTunnel(socket: Socket, proxy: URL, { host, port }: Target): Promise<Socket> {
  const path = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const headers: Record<string, string> = { host: path };
  const user = proxyTunnelCredentials(proxy);
  if (user !== undefined) headers['proxy-authorization'] = `Basic ${Buffer.from(user.join(':')).toString('base64')}`;
  return new Promise((resolve, reject) => {
    const asking = request({ method: 'CONNECT', path, headers, setHost: false, createConnection: () => socket });
    asking.on('error', reject);
    asking.on('connect', ({ statusCode = 0 }, tunnelled: Socket, head) => {
      if (statusCode < 200 || statusCode > 299) {
        tunnelled.destroy();
        return reject(transportFailureCause('ERR_PROXY', `the proxy ${proxy.host} responded with ${statusCode}`));
      }
      if (head.length > 0) tunnelled.unshift(head);
      resolve(tunnelled);
    });
    asking.end();
  });
}

const SOCKS_REPLIES = [
  'succeeded', 'general failure', 'not allowed', 'network unreachable', 'host unreachable', 'connection refused',
  'time to live expired', 'command not supported', 'address type not supported',
]; // prettier-ignore

/**
 * Opens a tunnel by SOCKS5 (RFC 1928 and 1929). The proxy resolves names: it may know hosts that this machine
 * does not.
 */
async function socksProxyTunnel(socket: Socket, proxy: URL, { host, port }: Target): Promise<Socket> {
  const refused = (why: string): Error => transportFailureCause('ERR_PROXY', `the proxy ${proxy.host}: ${why}`);
  const user = proxyTunnelCredentials(proxy);
  socket.write(Uint8Array.from(user === undefined ? [5, 1, 0] : [5, 2, 0, 2]));
  const [version, method] = await readFromProxyTunnel(socket, 2);
  if (version !== 5) throw refused('does not speak SOCKS 5');
  if (method === 2 && user !== undefined) {
    const [name, password] = user.map((part) => Buffer.from(part)) as [Buffer, Buffer];
    if (name.length > 255 || password.length > 255) throw refused('user name or password is too long');
    socket.write(Buffer.concat([Uint8Array.of(1, name.length), name, Uint8Array.of(password.length), password]));
    if ((await readFromProxyTunnel(socket, 2))[1] !== 0) throw refused('user name or password is wrong');
  } else if (method !== 0) {
    throw refused('requires an unsupported way of signing in');
  }
  const name = Buffer.from(host);
  if (name.length > 255) throw refused('the name of the server is too long');
  // An IPv6 address is sent as text, like a name; proxies resolve it to itself.
  const where = isIP(host) === 4 ? [1, ...host.split('.').map(Number)] : [3, name.length, ...name];
  socket.write(Uint8Array.from([5, 1, 0, ...where, port >> 8, port & 255]));
  const [, reply = 1, , type] = await readFromProxyTunnel(socket, 4);
  if (reply !== 0) throw refused(SOCKS_REPLIES[reply] ?? `replied with code ${reply}`);
  const addressBytes = type === 1 ? 4 : type === 4 ? 16 : ((await readFromProxyTunnel(socket, 1))[0] as number);
  await readFromProxyTunnel(socket, addressBytes + 2);
  return socket;
}

/** Reads exactly `count` bytes; the rest stays in the socket. */
async function readFromProxyTunnel(socket: Socket, count: number): Promise<Buffer> {
  let have = Buffer.alloc(0);
  for (;;) {
    // Reads everything: bytes left in the socket would emit `readable` again and again and starve the event loop.
    const more = socket.read() as Buffer | null;
    if (more !== null) have = Buffer.concat([have, more]);
    if (have.length >= count) {
      if (have.length > count) socket.unshift(have.subarray(count));
      return have.subarray(0, count);
    }
    if (socket.readableEnded || socket.destroyed)
      throw transportFailureCause('ERR_PROXY', 'the proxy closed the connection');
    await new Promise<void>((resolve) => {
      const go = (): void => {
        for (const event of ['readable', 'end', 'close']) socket.removeListener(event, go);
        resolve();
      };
      for (const event of ['readable', 'end', 'close']) socket.on(event, go);
    });
  }
}

function proxyTunnelCredentials({ username, password }: URL): [name: string, password: string] | undefined {
  return username === '' && password === ''
    ? undefined
    : [decodeProxyCredential(username), decodeProxyCredential(password)];
}
