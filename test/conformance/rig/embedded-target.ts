import { startApiServer } from '@kube-informer/apiserver';
import type { Target } from './target.ts';

/** The same cases that the real server passes, also over TLS and with RBAC. */
export async function startEmbeddedTarget(reads: Target['reads'] = 'json'): Promise<Target & AsyncDisposable> {
  const server = await startApiServer({ auth: 'rbac' });
  const { url, ca, token } = server;
  return {
    url,
    ...(ca === undefined ? {} : { ca }),
    token,
    reads,
    controls: {
      compact: () => {
        server.history.compact();
        return Promise.resolve();
      },
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}
