import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { TestAuthority } from '../../../packages/kube-informer/test/client/rig/certificates.ts';
import type { Handler } from '../../../packages/kube-informer/test/client/rig/scripted-server.ts';
import { certificates, echo, serve } from '../../../packages/kube-informer/test/client/rig/transport-rig.ts';
import type { ProbeOutcome, ProbeSettings } from '../../platform/informer-program-probe.ts';
import { type Ended, run, type Runtime, runtimes } from '../../runtimes/find.ts';
import { settledWatchesOf, watchesOf } from '../../runtimes/watches.ts';
import { whatIsMissing } from '../harness/binaries.ts';
import { ConnectProxy } from '../harness/connect-proxy.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { until } from '../harness/until.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: other runtimes on a real kube-apiserver: ${missing}\n`);
for (const name of ['deno', 'bun'] as const) {
  if (runtimes[name] === undefined) console.warn(`\nSKIPPED: ${name}: run "npm ci --prefix test/runtimes" first\n`);
}
const NAMES = ['node', 'deno', 'bun'] as const;
const there = (name: Runtime['name']): Runtime => runtimes[name] as Runtime;

async function probe(name: Runtime['name'], settings: ProbeSettings, env?: Record<string, string>) {
  const ended = await run(there(name), 'informer-program-probe.ts', settings, env);
  return { ...ended, outcomes: ended.lines as ProbeOutcome[] };
}

/** Checks that the program ended by itself: nothing was left open. */
function endedWell({ code, stderr }: Ended): void {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

describe.skipIf(missing !== undefined)('on a real kube-apiserver', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
  }, 1_800_000);
  afterAll(() => plane?.[Symbol.asyncDispose]());

  describe.each(NAMES)('%s', (name) => {
    const at = test.skipIf(runtimes[name] === undefined);

    at('the same program syncs, follows and leaves nothing behind, here or on the server', async () => {
      const namespace = `on-${name}`;
      await plane.ask('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
      const before = await settledWatchesOf(plane, 'configmaps');
      const { url, credentials } = plane;
      const settings = { url, ca: credentials.ca, token: credentials.token, namespace };
      const ended = await run(there(name), 'informer-program-main.ts', settings);
      endedWell(ended);
      expect(ended.lines).toEqual([
        {
          heard: [
            `add ${namespace}/before 1 initial`,
            `add ${namespace}/after 2`,
            `update ${namespace}/after 2 3`,
            `delete ${namespace}/before`,
          ],
          cached: [`${namespace}/after`],
          state: 'synced',
          consistent: true,
          runtime: name,
        },
      ]);
      await expect.poll(() => watchesOf(plane, 'configmaps'), { timeout: 60_000 }).toBe(before);
    });

    at('S21: a server certificate of another authority is refused, at once and for good', async () => {
      const { ca } = await another();
      const { url, credentials } = plane;
      const { outcomes, code } = await probe(name, {
        connect: { url, ca, token: credentials.token },
        steps: [{ path: '/version', attempts: 'default' }],
      });
      expect(code).toBe(0);
      expect(outcomes).toMatchObject([
        { failed: 'TRANSPORT', reason: expect.stringMatching(/^(?:UNABLE_TO_|SELF_SIGNED_|CERT_)/) },
      ]);
    });

    at('a client certificate authenticates', async () => {
      const { url, credentials } = plane;
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
      const ended = await probe(name, {
        connect: { url, ca: credentials.ca, cert: credentials.clientCertificate, key: credentials.clientKey },
        steps: [{ path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', body }],
      });
      endedWell(ended);
      expect(ended.outcomes).toMatchObject([{ answer: { status: { userInfo: { username: 'cert-admin' } } } }]);
    });
  });
});

const certs = certificates();

async function another(): Promise<TestAuthority> {
  const authority = new TestAuthority('another');
  return authority;
}

describe.each(NAMES)('the transport of %s on a scripted server', (name) => {
  const at = test.skipIf(runtimes[name] === undefined);

  async function rig(handler: Handler = echo, clientCa?: string) {
    const { authority, pair } = certs();
    // HTTP/1.1: Bun speaks nothing else. The real server above speaks both.
    const server = await serve({ pair, protocol: 'h1', handler, ...(clientCa === undefined ? {} : { clientCa }) });
    return { server, authority, connect: { url: server.url.href, ca: authority.ca, token: 'abc' } };
  }

  at.each(['abort', 'leave', 'close'] as const)('a stream that is ended by %s ends on the server too', async (how) => {
    let closed = 0;
    const { connect } = await rig((_, answer) => {
      answer.on('close', () => (closed += 1));
      answer.writeHead(200);
      answer.write('line');
    });
    const ended = await probe(name, { connect, steps: [{ path: 'a-pod', how }] });
    endedWell(ended);
    const end = { abort: 'ABORTED', leave: 'left', close: 'TRANSPORT' }[how];
    expect(ended.outcomes).toEqual([{ answer: `line ${end}` }]);
    await until('the server knows', () => closed === 1);
  });

  at('S6: redirects are not followed, cut bodies are TRANSPORT, compressed ones are whole', async () => {
    const { connect, server } = await rig((request, answer) => {
      if (request.url === '/redirect') {
        answer.writeHead(307, { location: '/elsewhere' });
        answer.end();
      } else if (request.url === '/gzip') {
        answer.writeHead(200, { 'content-encoding': 'gzip' });
        answer.end(Buffer.concat([gzipSync('one '), gzipSync('two')]));
      } else {
        answer.writeHead(200, request.url === '/short' ? { 'content-length': '10' } : {});
        answer.write('short');
        setTimeout(() => (request.socket as TLSSocket).destroy(), 50);
      }
    });
    const steps = ['/redirect', '/gzip', '/short', '/chunked'].map((path) => ({ path }));
    const { outcomes } = await probe(name, { connect, steps });
    expect(outcomes).toMatchObject([
      { failed: 'TRANSPORT', message: expect.stringContaining('redirects are never followed') },
      // Deno stops after the first member of a compressed body; kube-apiserver sends one.
      { answer: name === 'deno' ? 'one ' : 'one two' },
      { failed: 'TRANSPORT' },
      { failed: 'TRANSPORT' },
    ]);
    expect(server.seen.map(({ url }) => url)).not.toContain('/elsewhere');
  });

  // Node's transport reads its files again by itself; it has tests of its own.
  if (name !== 'node')
    at('a rotated client certificate is used from the next request on', async () => {
      const dir = await mkdtemp(join(tmpdir(), 'rotation-'));
      onTestFinished(() => rm(dir, { recursive: true, force: true }));
      const [certFile, keyFile] = [join(dir, 'me.crt'), join(dir, 'me.key')];
      const { authority } = certs();
      const write = async (who: string): Promise<void> => {
        const { cert, key } = authority.client(who);
        await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key)]);
      };
      await write('first');
      const { connect } = await rig((request, answer) => {
        const peer = (request.socket as TLSSocket).getPeerCertificate().subject.CN as string;
        void (request.url === '/rotate' ? write('second') : Promise.resolve()).then(() => {
          answer.writeHead(200);
          answer.end(peer);
        });
      }, authority.ca);
      const { outcomes } = await probe(name, {
        connect: { url: connect.url, ca: connect.ca, certFile, keyFile },
        // Files are looked at once a second at most.
        steps: [{ path: '/rotate' }, { path: '/', pauseMs: 1_200 }],
      });
      expect(outcomes).toEqual([{ answer: 'first' }, { answer: 'second' }]);
    });

  at('a proxy is asked with its password, and none is asked where none is wanted', async () => {
    const { connect } = await rig();
    await using proxy = await ConnectProxy.start();
    const through = await probe(name, {
      connect: { ...connect, proxy: `http://me:p%40ss@127.0.0.1:${proxy.port}` },
      steps: [{ path: '/through' }],
    });
    endedWell(through);
    expect(through.outcomes).toEqual([{ answer: '/through' }]);
    const target = new URL(connect.url).host;
    expect(proxy.asked).toEqual([{ target, authorization: `Basic ${btoa('me:p@ss')}` }]);

    // Loopback is never reached through a proxy, whatever the environment says.
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    const direct = await probe(name, { connect, steps: [{ path: '/direct' }] }, env);
    expect(direct.outcomes).toMatchObject([
      name === 'deno'
        ? { failed: 'INVALID_CONFIG', message: expect.stringContaining('add 127.0.0.1 to NO_PROXY') }
        : { answer: '/direct' },
    ]);
    const exempt = await probe(name, { connect, steps: [{ path: '/' }] }, { ...env, NO_PROXY: '127.0.0.1' });
    expect(exempt.outcomes).toEqual([{ answer: '/' }]);
    expect(proxy.asked).toHaveLength(1);
  });

  at(
    'S20, S21: the name in the certificate counts, and what the platform cannot do is said before anything is sent',
    async () => {
      const { authority, connect } = await rig();
      const internal = await serve({ pair: authority.server(['api.internal']), protocol: 'h1', handler: echo });
      const url = internal.url.href;
      const ask = async (more: ProbeSettings['connect']): Promise<ProbeOutcome | undefined> =>
        (await probe(name, { connect: { ...connect, ...more }, steps: [{ path: '/' }] })).outcomes[0];
      expect(await ask({ url })).toMatchObject({ failed: 'TRANSPORT', reason: 'ERR_TLS_CERT_ALTNAME_INVALID' });
      const cannot = { failed: 'INVALID_CONFIG' };
      expect(await ask({ url, serverName: 'api.internal' })).toMatchObject(name === 'deno' ? cannot : { answer: '/' });
      const { ca: _, ...unchecked } = connect;
      const insecure = await probe(name, {
        connect: { ...unchecked, insecureSkipTlsVerify: true },
        steps: [{ path: '/' }],
      });
      expect(insecure.outcomes).toMatchObject([name === 'deno' ? cannot : { answer: '/' }]);
      if (name === 'bun') expect(await ask({ proxy: 'socks5://127.0.0.1:1' })).toMatchObject(cannot);
    },
  );
});
