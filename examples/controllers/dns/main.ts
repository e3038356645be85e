// The DNS operator: a program for a Deployment. README.md says how to install it.
//
//   npx tsx --conditions=@kube-informer/source examples/controllers/dns/main.ts         runs with the current context of kubectl
//   npx tsx --conditions=@kube-informer/source examples/controllers/dns/main.ts rbac    prints the roles it needs

// #region program
import { createServer } from 'node:http';
import { rbacManifests, run, shutdownSignal } from '@kube-informer/controller';
import { Cluster } from 'kube-informer';
import { promMetrics } from 'kube-informer/prometheus';
import * as prometheus from 'prom-client';
import { dnsRecords } from './dns-records.ts';
import { httpZones } from './zones.ts';

const { PORT = '8080', NAMESPACE = 'dns', PROVIDER_URL = 'http://provider.dns.svc/' } = process.env;
const metrics = promMetrics(prometheus);
await using cluster = await Cluster.connect({ informers: { name: 'dns', metrics } });
const controllers = [dnsRecords(cluster, httpZones(PROVIDER_URL))];
const election = `${NAMESPACE}/dns-records`; // of several replicas one works, the others wait with warm caches

if (process.argv[2] === 'rbac') {
  const items = rbacManifests(controllers, { name: 'dns-records', namespace: NAMESPACE, election });
  console.log(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)); // for kubectl apply -f -
} else {
  const operator = run(controllers, { signal: shutdownSignal(), election, metrics });
  const probes = operator.probes(); // /livez and /readyz
  const { register } = prometheus;
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') return probes(request, response);
    response.writeHead(200, { 'content-type': register.contentType });
    void register.metrics().then((text) => response.end(text));
  }).listen(Number(PORT));
  await operator.ended; // SIGTERM: running reconciles may finish, then the lease is released
  server.close();
}
// #endregion
