// Copies of config maps in other namespaces: objects that cannot be children, because an owner reference does not cross namespaces.
//
//   npx tsx --conditions=@kube-informer/source examples/controllers/copies/main.ts

import { run, shutdownSignal } from '@kube-informer/controller';
import { Cluster } from 'kube-informer';
import { copies } from './copies.ts';

await using cluster = await Cluster.connect();
await run([copies(cluster)], { signal: shutdownSignal() }).ended;
