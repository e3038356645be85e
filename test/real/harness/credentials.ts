import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Credentials of clients, and the server's certificate. */
export interface Credentials {
  readonly ca: string;
  readonly caFile: string;
  /** A bearer token of a cluster administrator. */
  readonly token: string;
  /** A client certificate of a cluster administrator. */
  readonly clientCertificate: string;
  readonly clientKey: string;
  readonly serverCertificateFile: string;
  readonly serverKeyFile: string;
  readonly tokenFile: string;
  readonly serviceAccountKeyFile: string;
}

async function key(dir: string, name: string): Promise<string> {
  const file = join(dir, `${name}.key`);
  await run('openssl', ['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', file]);
  return file;
}

/** Signs a certificate with the test authority. */
export async function issue(
  dir: string,
  name: string,
  subject: string,
  extensions: string,
): Promise<{ cert: string; key: string }> {
  const keyFile = await key(dir, name);
  const request = join(dir, `${name}.csr`);
  const cert = join(dir, `${name}.crt`);
  const ext = join(dir, `${name}.ext`);
  await writeFile(ext, extensions);
  await run('openssl', ['req', '-new', '-key', keyFile, '-subj', subject, '-out', request]);
  await run('openssl', [
    'x509', '-req', '-in', request, '-CA', join(dir, 'ca.crt'), '-CAkey', join(dir, 'ca.key'),
    // Not -CAcreateserial: it keeps a counter in a file, which two certificates signed at once would break.
    '-set_serial', `0x01${randomBytes(16).toString('hex')}`, '-days', '2', '-extfile', ext, '-out', cert,
  ]); // prettier-ignore
  return { cert, key: keyFile };
}

/** A certificate authority, a server certificate for loopback, an administrator, and the keys for service accounts. */
export async function createCredentials(dir: string): Promise<Credentials> {
  const caKey = await key(dir, 'ca');
  const caFile = join(dir, 'ca.crt');
  await run('openssl', [
    'req',
    '-x509',
    '-new',
    '-key',
    caKey,
    '-subj',
    '/CN=kube-informer-test-ca',
    '-days',
    '2',
    '-out',
    caFile,
  ]);
  const server = await issue(
    dir,
    'server',
    '/CN=kube-apiserver',
    'subjectAltName=IP:127.0.0.1,IP:0:0:0:0:0:0:0:1,DNS:localhost\nextendedKeyUsage=serverAuth\n',
  );
  const admin = await issue(dir, 'admin', '/O=system:masters/CN=cert-admin', 'extendedKeyUsage=clientAuth\n');
  const serviceAccountKeyFile = join(dir, 'service-accounts.key');
  await run('openssl', ['genrsa', '-out', serviceAccountKeyFile, '2048']);
  const token = randomBytes(24).toString('hex');
  const tokenFile = join(dir, 'tokens.csv');
  await writeFile(tokenFile, `${token},admin,admin-uid,"system:masters"\n`);
  return {
    ca: await readFile(caFile, 'utf8'),
    caFile,
    token,
    clientCertificate: await readFile(admin.cert, 'utf8'),
    clientKey: await readFile(admin.key, 'utf8'),
    serverCertificateFile: server.cert,
    serverKeyFile: server.key,
    tokenFile,
    serviceAccountKeyFile,
  };
}
