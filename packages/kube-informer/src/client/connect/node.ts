/** Everything that needs Node's modules. `#node` in package.json resolves to this file, in a browser to no-node.ts. */
export { execSource } from '../auth/node/exec-plugin.ts';
export { inClusterPlan, isInCluster } from '../config/node/in-cluster.ts';
export {
  homeKubeconfig,
  kubeconfigPaths,
  loadKubeconfigFile,
  loadKubeconfigFiles,
} from '../config/node/kubeconfig-files.ts';
export { absoluteFilePath, isMissingFile, readTextFile } from '../config/node/read-file.ts';
export { createNodeTransport } from '../transport/node/node-transport.ts';
export { nodeOidcExchange } from '../auth/node/oidc-exchange.ts';
export { TlsFiles } from '../config/node/tls-files.ts';
