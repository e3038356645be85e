/** `globalTeardown` of Jest. */
export { teardown as default } from './shared-server.ts';
