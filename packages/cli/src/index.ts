/**
 * The command line as a function, for programs that bring their own terminal.
 *
 * For the commands see `kube-informer --help`.
 */
export type { Host, Interruption, Keyboard, Output, Size } from './host/host.ts';
export { run } from './run.ts';
export { systemHost } from './host/system-host.ts';
