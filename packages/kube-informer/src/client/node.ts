/** What only Node, Deno and Bun have, behind one door: `#node` in package.json leads here, or to no-node.ts in a browser. */
export { execSource } from './exec-plugin.ts';
export { inClusterPlan, isInCluster } from './in-cluster.ts';
export { homeKubeconfig, kubeconfigPaths, loadKubeconfigFile, loadKubeconfigFiles } from './kubeconfig-files.ts';
export { absolutePath, isMissing, readTextFile } from './node-files.ts';
export { createNodeTransport } from './node-transport.ts';
export { nodeExchange } from './oidc-node.ts';
export { TlsFiles } from './tls-files.ts';
