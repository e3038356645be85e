// A program for @kubernetes/client-node with the informer of kube-informer: only one import is different.
//
//   npm install @kubernetes/client-node kube-informer
//   node migrate-from-client-node.mjs

// #region migrate
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { makeInformer } from 'kube-informer/compat'; // was: from '@kubernetes/client-node'

const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);

const informer = makeInformer(config, '/api/v1/namespaces/web/pods', () =>
  core.listNamespacedPod({ namespace: 'web' }),
);
informer.on('add', (pod) => console.log(`+ ${pod.metadata.name}`));
informer.on('update', (pod) => console.log(`~ ${pod.metadata.name}`));
informer.on('delete', (pod) => console.log(`- ${pod.metadata.name}`));
informer.on('error', (error) => {
  console.log(`! ${error.statusCode ?? error.message}`);
  setTimeout(() => void informer.start(), 5_000); // no longer needed, and harmless
});
await informer.start(); // resolves when the cache has synced
// #endregion
console.log(`${informer.list().length} pods`);
process.once('SIGINT', () => void informer.stop().then(() => process.exit(0)));
