// Answers Kubernetes' probes: /readyz when every cache is complete and none has been out of date for too long, /livez as
// long as none has ended. A cluster that is away makes a program not ready; it is no reason to restart it.
//
//   PORT=8080 npx tsx --conditions=@kube-informer/source examples/health-probes.ts

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
