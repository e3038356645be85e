import { attemptsOf } from 'kube-informer/client';
import { hasCode, statusOf } from 'kube-informer/core';
import { reasonOf, type ProblemReason } from 'kube-informer/informer';
import { EXIT } from '../host/exit-code.ts';
import { errorText } from './error-text.ts';
import type { Host } from '../host/host.ts';
import { escapeText } from '../text/escape.ts';
import { stylePalette } from '../text/style.ts';
import { type Safe, safe } from '../text/safe.ts';

/** Advice for the user, by reason. */
const ADVICE: Readonly<Partial<Record<ProblemReason, string>>> = {
  forbidden:
    'your account is not allowed to do this: ask for a role with the verbs get, list and watch on this resource',
  unauthorized: 'the server rejects these credentials: they may have expired; log in again',
  credentials:
    'no credentials could be obtained: log in again, or run the command of the kubeconfig by hand to see why it fails',
  unreachable: 'the server does not respond: check its address, that the cluster is running, and your VPN',
  dns: 'the host name of the server cannot be resolved: check its spelling and your VPN',
  tls: 'run kube-informer doctor to see who issued the certificate; use --certificate-authority with a file of the right CA',
  throttled: 'the server is overloaded: try again later',
  buffered:
    'something between you and the server holds streams back: switch buffering off there (nginx: proxy_buffering off)',
  withheld: 'something between you and the server loses events: check the proxies and load balancers in between',
};

/** Describes an error in one sentence, escaped, and what to do about it if that is known. */
export function describeCommandFailure(error: unknown): { readonly message: Safe; readonly advice: Safe | undefined } {
  const message = escapeText(commandFailureSentence(error));
  if (hasCode(error, 'INVALID_OPTION') || hasCode(error, 'INVALID_CONFIG')) return { message, advice: undefined };
  if (isCommandFileFailure(error)) return { message, advice: undefined };
  const advice = ADVICE[reasonOf(error)];
  return { message, advice: advice === undefined ? undefined : escapeText(advice) };
}

/** Whether an error is about a path of this machine, so that no server is involved. */
const isCommandFileFailure = (error: unknown): boolean =>
  error instanceof Error && 'path' in error && 'syscall' in error;

/** Prints an error to stderr. Returns the exit code. */
export function reportCommandFailure(
  error: unknown,
  { stderr, environment }: Pick<Host, 'stderr' | 'environment'>,
): number {
  const { message, advice } = describeCommandFailure(error);
  stderr.write(safe`${stylePalette(stderr.isTerminal, environment)('bad', safe`kube-informer:`)} ${message}\n`);
  if (advice !== undefined) stderr.write(safe`  ${advice}\n`);
  return commandFailureExitCode(error);
}

/** The sentence about an error. Attempts that failed in the same way are reported once. */
function commandFailureSentence(error: unknown): string {
  const texts = attemptsOf(error).map(errorText);
  const [first, ...more] = texts;
  const isSame = first !== undefined && more.length > 0 && more.every((text) => text === first);
  return isSame ? `${first} (tried ${texts.length} times)` : errorText(error);
}

/** The exit code of an error; wrong arguments have their own. */
function commandFailureExitCode(error: unknown): number {
  return hasCode(error, 'INVALID_OPTION') && statusOf(error) === undefined ? EXIT.usage : EXIT.failed;
}
