// Serves Kubernetes' probes: /readyz succeeds when every cache has synced and none has been stale for too long, /livez as
// long as none has stopped. An unreachable cluster makes the program not ready, but does not restart it.
//
//   PORT=8080 npx tsx --conditions=@kube-informer/source examples/operations/health-probes.ts

import type { AddressInfo } from 'node:net';
// #region probes
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Cluster } from 'kube-informer';

await using cluster = await Cluster.connect();
const pods = cluster.informer('v1/pods');

const probes = createServer(cluster.probes({ maxStaleMs: 120_000 }));
await once(probes.listen(Number(process.env['PORT'] ?? 8080)), 'listening');
// #endregion
console.log(`ask http://127.0.0.1:${(probes.address() as AddressInfo).port}/readyz`);

await pods.synced({ timeoutMs: 60_000 });
console.log('synced');
await once(process, 'SIGINT');
probes.close();
