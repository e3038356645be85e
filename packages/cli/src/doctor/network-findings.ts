import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP } from 'node:net';
import type { Connection } from 'kube-informer/client';
import type { Env } from 'kube-informer/core';
import {
  failDoctorFinding,
  type Finding,
  noteDoctorFinding,
  okDoctorFinding,
  warnDoctorFinding,
} from './doctor-finding.ts';
import { connectDoctorSocket, doctorSocketErrorCode } from './doctor-socket.ts';
import { tlsFindingsOfClientCertificate, tlsFindings } from './tls-findings.ts';

/**
 * Checks name resolution, the TCP connection and TLS, in this order, and stops at the first failure: that is the one to
 * fix. With a proxy, only the connection to the proxy can be checked.
 */
export async function* networkFindings(connection: Connection, env: Env, signal: AbortSignal): AsyncGenerator<Finding> {
  const { server, proxy } = connection;
  const target = proxy ?? server;
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const port = Number(target.port) || (target.protocol === 'https:' ? 443 : target.protocol === 'http:' ? 80 : 1080);
  yield proxy === undefined
    ? noteDoctorFinding('proxy', 'not used')
    : noteDoctorFinding(
        'proxy',
        `requests go through ${proxy.protocol}//${proxy.host}; only the connection to it can be checked`,
      );
  const name = await networkNameFinding(host);
  yield name;
  if (name.level === 'fail') return;
  const tcp = await networkPortFinding(host, port, env, signal);
  yield tcp;
  if (tcp.level === 'fail' || proxy !== undefined) return;
  if (server.protocol === 'http:')
    return yield warnDoctorFinding('TLS', 'the connection is not encrypted', 'use https, except on localhost');
  await connection.tls.refresh();
  const settings = connection.tls.current();
  yield* tlsFindings({ host, port, settings }, env, signal);
  yield* tlsFindingsOfClientCertificate(settings, env.wallNow());
}

async function networkNameFinding(host: string): Promise<Finding> {
  if (isIP(host) !== 0) return okDoctorFinding('DNS', `${host} is an IP address`);
  try {
    const addresses = await lookup(host, { all: true });
    return okDoctorFinding('DNS', `${host} resolves to ${addresses.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    const fix = 'check the host name in the kubeconfig; many clusters can be resolved only through their VPN';
    return failDoctorFinding('DNS', `${host} cannot be resolved (${doctorSocketErrorCode(error)})`, fix);
  }
}

async function networkPortFinding(host: string, port: number, env: Env, signal: AbortSignal): Promise<Finding> {
  const startedAt = env.now();
  try {
    const socket = await connectDoctorSocket(connectTcp({ host, port }), 'connect', env, signal);
    socket.destroy();
    return okDoctorFinding('TCP', `connected to port ${port} of ${host} in ${Math.ceil(env.now() - startedAt)} ms`);
  } catch (error) {
    const code = doctorSocketErrorCode(error);
    const fixes: ReadonlyMap<string, string> = new Map<string, string>(
      Object.entries({
        ECONNREFUSED:
          'the host is up, but nothing listens on the port: check that the API server is running, and the port',
        ETIMEDOUT: 'packets are dropped: check firewalls, and that the VPN is connected',
        EHOSTUNREACH: 'no route to that network: check that the VPN is connected',
        ENETUNREACH: 'no route to that network: check that the VPN is connected',
      }),
    );
    return failDoctorFinding(
      'TCP',
      `cannot connect to port ${port} of ${host} (${code})`,
      fixes.get(code) ?? 'check the address and the network',
    );
  }
}
