import { hasCode, KubeError } from 'kube-informer';

/**
 * An error that a retry cannot repair: a run that throws it is not retried until something changes.
 *
 * @example throw terminal(`unknown storage class ${name}`);
 */
export function terminal(reason: string, options: { readonly cause?: unknown } = {}): KubeError {
  return new KubeError('TERMINAL', reason, options);
}

export const isTerminal = (error: unknown): boolean => hasCode(error, 'TERMINAL');
