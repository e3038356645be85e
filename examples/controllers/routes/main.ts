// A controller of many resources, mapped by index: it says whether the services of a route exist. crd.yaml has the definition.
// Each line of the standard input is the key of a route whose certificate was renewed.
//
//   npx tsx --conditions=@kube-informer/source examples/controllers/routes/main.ts

import { createInterface } from 'node:readline';
import { run, shutdownSignal } from '@kube-informer/controller';
import { Cluster } from 'kube-informer';
import { routes } from './routes.ts';

async function* renewals(): AsyncGenerator<{ route: string }> {
  for await (const route of createInterface({ input: process.stdin })) yield { route };
}

await using cluster = await Cluster.connect();
await run([routes(cluster, renewals())], { signal: shutdownSignal() }).ended;
