// Serves the metrics of all informers for Prometheus, with prom-client (`npm install prom-client`).
//
//   PORT=9090 npx tsx --conditions=@kube-informer/source examples/operations/metrics.ts

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
// #region metrics
import { Cluster } from 'kube-informer';
import { promMetrics } from 'kube-informer/prometheus';
import * as client from 'prom-client';

await using cluster = await Cluster.connect({ informers: { name: 'example', metrics: promMetrics(client) } });
const pods = cluster.informer('v1/pods');
// #endregion

const server = createServer((_, response) => {
  void client.register.metrics().then((text) => {
    response.writeHead(200, { 'content-type': client.register.contentType });
    response.end(text);
  });
});
await once(server.listen(Number(process.env['PORT'] ?? 9090)), 'listening');
await pods.synced({ timeoutMs: 30_000 });
console.log(`ask http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
await once(process, 'SIGINT');
server.close();
