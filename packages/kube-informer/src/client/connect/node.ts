/** Everything that needs Node's modules. `#node` in package.json resolves to this file, in a browser to no-node.ts. */
export { execPluginSource as execSource } from '../auth/node/exec-plugin.ts';
export {
  inClusterConfigPlan as inClusterPlan,
  hasInClusterConfig as isInCluster,
} from '../config/node/in-cluster-config.ts';
export {
  homeKubeconfigFile as homeKubeconfig,
  kubeconfigFilePaths as kubeconfigPaths,
  loadKubeconfigFile,
  loadKubeconfigFiles,
} from '../config/node/kubeconfig-files.ts';
export { absoluteFilePath, isMissingFile, readTextFile } from '../config/node/read-file.ts';
export { createNodeTransport } from '../transport/node/node-transport.ts';
export { nodeOidcExchange } from '../auth/node/oidc-exchange.ts';
export { TlsFiles } from '../config/node/tls-files.ts';
