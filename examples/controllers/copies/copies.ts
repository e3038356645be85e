// #region copies
import { controller, type Controller, watch } from '@kube-informer/controller';
import type { Cluster } from 'kube-informer';

const TO = 'example.com/copy-to'; // on a config map: the namespaces that want a copy
const OF = 'example.com/copy-of'; // on a copy: the key of the config map that it is of

export const copies = (cluster: Cluster): Controller =>
  controller(cluster, 'v1/configmaps', {
    name: 'copies',
    labels: 'example.com/copied=true', // nothing else gets the finalizer
    finalizer: 'example.com/copies',
    // A change or deletion of a copy runs its config map.
    watches: [
      watch('v1/configmaps', { labels: 'example.com/copy=true', keys: ({ metadata }) => metadata.annotations?.[OF] }),
    ],

    async reconcile({ object, key, name, apply, list, delete: remove }) {
      const wanted = (object.metadata.annotations?.[TO] ?? '').split(',').filter((namespace) => namespace !== '');
      for (const namespace of wanted) {
        const metadata = { name, namespace, labels: { 'example.com/copy': 'true' }, annotations: { [OF]: key } };
        await apply('v1/configmaps', { metadata, data: object.data ?? {} }, { owner: false, force: true });
      }
      for (const { metadata } of list('v1/configmaps', { labels: 'example.com/copy=true' })) {
        const isWanted = metadata.annotations?.[OF] !== key || wanted.includes(metadata.namespace ?? '');
        if (!isWanted) await remove('v1/configmaps', `${metadata.namespace}/${metadata.name}`);
      }
    },

    async cleanup({ key, list, delete: remove }) {
      for (const { metadata } of list('v1/configmaps', { labels: 'example.com/copy=true' }))
        if (metadata.annotations?.[OF] === key) await remove('v1/configmaps', `${metadata.namespace}/${metadata.name}`);
    },
  });
// #endregion
