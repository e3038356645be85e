import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { parse } from 'yaml';

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
  }[];
  readonly users: readonly {
    readonly user: {
      readonly token?: string;
      readonly 'client-certificate-data'?: string;
      readonly 'client-key-data'?: string;
    };
  }[];
}

/** Requests a path with the first cluster and user of a kubeconfig, by no client of the contest. */
export async function rawGet(kubeconfigFile: string, path: string, accept: string): Promise<Buffer[]> {
  const config = parse(readFileSync(kubeconfigFile, 'utf8')) as Kubeconfig;
  const { cluster } = config.clusters[0] as Kubeconfig['clusters'][0];
  const { user } = config.users[0] as Kubeconfig['users'][0];
  const decoded = (text: string | undefined): Buffer | undefined =>
    text === undefined ? undefined : Buffer.from(text, 'base64');
  const tls = {
    ca: decoded(cluster['certificate-authority-data']),
    cert: decoded(user['client-certificate-data']),
    key: decoded(user['client-key-data']),
  };
  // The server indents JSON for browsers and curl: this name is neither.
  const headers = {
    accept,
    'user-agent': 'bench',
    ...(user.token === undefined ? {} : { authorization: `Bearer ${user.token}` }),
  };
  return new Promise((resolve, reject) => {
    const call = request(`${cluster.server}${path}`, { ...tls, headers, agent: new Agent() }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.on('end', () => {
        if (response.statusCode === 200) resolve(chunks);
        else reject(new Error(`GET ${path}: ${response.statusCode} ${Buffer.concat(chunks).toString().slice(0, 500)}`));
      });
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end();
  });
}
