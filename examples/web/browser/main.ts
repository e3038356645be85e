/// <reference lib="dom" />
// A live list of pods in a browser. `kubectl proxy` serves the page and the API from one origin and signs in:
//
//   npx esbuild examples/web/browser/main.ts --bundle --format=esm --conditions=@kube-informer/source --outfile=site/main.js
//   cp examples/web/browser/index.html site/
//   kubectl proxy --www=site --www-prefix=/static/    # then open http://127.0.0.1:8001/static/

// #region browser
import { Cluster, type KubeObject } from 'kube-informer';

const cluster = await Cluster.connect({ url: location.origin });
const pods = cluster.informer('v1/pods');
const rows = new Map<string, HTMLLIElement>();

function show(key: string, pod: KubeObject & { status?: { phase?: string } }): void {
  const row = rows.get(key) ?? document.createElement('li');
  row.textContent = `${key}: ${pod.status?.phase ?? 'unknown'}`; // never innerHTML: names are not trusted
  if (!rows.has(key)) document.querySelector('#pods')?.append(row);
  rows.set(key, row);
}
pods.on({
  add: ({ key, object }) => show(key, object),
  update: ({ key, object }) => show(key, object),
  delete: ({ key }) => {
    rows.get(key)?.remove();
    rows.delete(key);
  },
});
setInterval(() => {
  const state = document.querySelector('#state');
  if (state !== null) state.textContent = `${pods.state.kind}, ${rows.size} pods`;
}, 250);
addEventListener('pagehide', () => void cluster.close());
// #endregion
