/** How Jest shares one server: shared-server.ts starts it, shared-server-teardown.ts ends it. */
// #region config
export default {
  globalSetup: './shared-server.ts',
  globalTeardown: './shared-server-teardown.ts',
  transform: { '\\.ts$': '@swc/jest' },
  extensionsToTreatAsEsm: ['.ts'],
};
// #endregion config
