import { rootCertificates } from 'node:tls';
import { startApiServer } from '@kube-informer/apiserver';
import { Client, type TlsSettings } from 'kube-informer/client';
import { systemEnv } from 'kube-informer/core';
import { expect, test } from 'vitest';
import type { Finding } from '../../src/doctor/doctor-finding.ts';
import { tlsFindings } from '../../src/doctor/tls-findings.ts';

/** The first finding about a server's TLS, with these settings; `own` is the CA of the server. */
async function firstFinding(settings: (own: string) => TlsSettings): Promise<Finding | undefined> {
  await using server = await startApiServer();
  const own = await caOf(server.kubeconfig());
  const { hostname: host, port } = new URL(server.url);
  const endpoint = { host, port: Number(port), settings: settings(own) };
  for await (const finding of tlsFindings(endpoint, systemEnv, new AbortController().signal)) return finding;
  return undefined;
}

async function caOf(kubeconfig: string): Promise<string> {
  await using client = await Client.connect({ kubeconfig });
  return client.connection.tls.current().ca ?? '';
}

test('without a CA it says who issued the certificate, and where a CA is given', async () => {
  expect(await firstFinding(() => ({}))).toMatchObject({
    level: 'fail',
    text: expect.stringMatching(/issued by "kube-informer-ca", and no CA is given/) as string,
    fix: expect.stringContaining('certificate-authority-data in the kubeconfig, or --certificate-authority') as string,
  });
});

test('with the CA of another cluster it names both', async () => {
  const [ca = ''] = rootCertificates;
  expect(await firstFinding(() => ({ ca }))).toMatchObject({
    level: 'fail',
    text: expect.stringMatching(/issued by "kube-informer-ca", and the given CA is "[^"]+"$/) as string,
  });
});

test('a CA of the same name with another key is one that was renewed', async () => {
  await using other = await startApiServer();
  const ca = await caOf(other.kubeconfig());
  expect(await firstFinding(() => ({ ca }))).toMatchObject({
    level: 'fail',
    text: expect.stringContaining('same name, but another key') as string,
    fix: expect.stringContaining('get a new kubeconfig') as string,
  });
});

test('a certificate for another name: the names it is valid for', async () => {
  expect(await firstFinding((ca) => ({ ca, serverName: 'elsewhere.example' }))).toMatchObject({
    level: 'fail',
    text: expect.stringMatching(/ALTNAME.*valid for .*127\.0\.0\.1/) as string,
    fix: expect.stringContaining('tls-server-name') as string,
  });
});

test('the right CA is trusted', async () => {
  expect(await firstFinding((ca) => ({ ca }))).toMatchObject({ level: 'ok', topic: 'TLS' });
});
