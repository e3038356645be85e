/** What only Node, Deno and Bun have, behind one door: `#node` in package.json leads here, or to no-node.ts in a browser. */
export { execSource } from '../auth/node/exec-plugin.ts';
export { inClusterPlan, isInCluster } from '../config/node/in-cluster.ts';
export {
  homeKubeconfig,
  kubeconfigPaths,
  loadKubeconfigFile,
  loadKubeconfigFiles,
} from '../config/node/kubeconfig-files.ts';
export { absolutePath, isMissingFile, readTextFile } from '../config/node/read-file.ts';
export { createNodeTransport } from '../transport/node/node-transport.ts';
export { nodeOidcExchange } from '../auth/node/oidc-exchange.ts';
export { TlsFiles } from '../config/node/tls-files.ts';
