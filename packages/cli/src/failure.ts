import { attemptsOf } from 'kube-informer/client';
import { hasCode, statusOf } from 'kube-informer/core';
import { reasonOf, type ProblemReason } from 'kube-informer/informer';
import { EXIT } from './command.ts';
import { errorText } from './error-text.ts';
import type { Host } from './host.ts';
import { escapeText } from './terminal/escape.ts';
import { paletteFor } from './terminal/style.ts';

/** What a person can do about it, where that is known. */
const ADVICE: Readonly<Partial<Record<ProblemReason, string>>> = {
  forbidden: 'your account may not do this: ask for a role with the verbs get, list and watch on this resource',
  unauthorized: 'the server does not accept these credentials: they may have expired; log in again',
  unreachable: 'nobody answers there: is the address right, is the cluster running, is a VPN needed?',
  dns: 'the name of the server cannot be resolved: is it spelled right, is a VPN needed?',
  tls: "the server's certificate is not trusted: is certificate-authority-data in the kubeconfig the right one?",
  throttled: 'the server is busy: try again later',
};

/** One sentence about what went wrong, safe to print, and another about what to do, if there is one. */
export function describeFailure(error: unknown): { readonly message: string; readonly advice: string | undefined } {
  const message = escapeText(oneSentence(error));
  if (hasCode(error, 'INVALID_OPTION') || hasCode(error, 'INVALID_CONFIG')) return { message, advice: undefined };
  return { message, advice: ADVICE[reasonOf(error)] };
}

/** Tells the person what went wrong. Returns the exit code for it. */
export function tellFailure(error: unknown, { stderr, environment }: Pick<Host, 'stderr' | 'environment'>): number {
  const { message, advice } = describeFailure(error);
  stderr.write(`${paletteFor(stderr.isTerminal, environment)('bad', 'kube-informer:')} ${message}\n`);
  if (advice !== undefined) stderr.write(`  ${advice}\n`);
  return exitCodeOf(error);
}

/** Attempts that all failed in the same way are one failure. */
function oneSentence(error: unknown): string {
  const texts = attemptsOf(error).map(errorText);
  const [first, ...more] = texts;
  const isSame = first !== undefined && more.length > 0 && more.every((text) => text === first);
  return isSame ? `${first} (tried ${texts.length} times)` : errorText(error);
}

/** A mistake in the command is not a failure of what it does. */
function exitCodeOf(error: unknown): number {
  return hasCode(error, 'INVALID_OPTION') && statusOf(error) === undefined ? EXIT.usage : EXIT.failed;
}
