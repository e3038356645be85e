import type { Outcome } from './run.ts';
import type { Script } from './script.ts';

/** The result of a script for both clients. */
export interface Result {
  readonly name: string;
  readonly faults: readonly string[];
  readonly guarantees: readonly string[];
  readonly resumes: boolean;
  readonly epoch: boolean;
  readonly title: string;
  readonly mode: 'typed' | 'dynamic';
  readonly watchList: boolean;
  readonly ours: Outcome;
  readonly clientGo: Outcome;
  /** Checks that client-go failed: check → guarantee and reason. */
  readonly breaks: Readonly<Record<string, string>>;
  /** Checks that kube-informer does not pass yet. */
  readonly open: Readonly<Record<string, string>>;
  readonly moreRequests?: string;
  /** Waits of ours that were shorter than by default. */
  readonly shortened: NonNullable<Script['ours']>;
  readonly notForClientNode?: string;
  /** Deviations from the script's expectations; empty if there are none. */
  readonly complaints: readonly string[];
}

/** Ours must pass every check; client-go all but those the script names, and those it must be seen failing. */
export function complaints(script: Script, ours: Outcome, clientGo: Outcome): string[] {
  const { clientGo: { breaks } = { breaks: {} }, moreRequests, open = {} } = script;
  const found: string[] = [];
  for (const { check, text } of ours.failures) if (!Object.hasOwn(open, check)) found.push(`ours, ${check}: ${text}`);
  for (const check of Object.keys(open))
    if (!ours.failures.some((failure) => failure.check === check))
      found.push(`ours was said to fail ${check}, and did not: the script can do without \`open\` now`);
  const failed = new Set(clientGo.failures.map(({ check }) => check));
  for (const { check, text } of clientGo.failures)
    if (!Object.hasOwn(breaks, check)) found.push(`client-go, ${check}: ${text}`);
  for (const check of Object.keys(breaks))
    if (!failed.has(check)) found.push(`client-go was said to fail ${check}, and did not`);
  if (ours.echoes > 0) found.push(`ours told ${ours.echoes} states again that had not changed`);
  if (script.resumes === true && ours.wholes > 1)
    found.push(`ours asked for the whole state ${ours.wholes} times, and could have gone on`);
  const most = Math.max(Math.floor(clientGo.requests * 1.1), moreRequests?.most ?? 0);
  if (ours.requests > most && !isLost(breaks))
    found.push(`ours sent ${ours.requests} requests, client-go ${clientGo.requests}`);
  return found;
}

/**
 * Whether client-go gave up or lost its watch: then its requests are not a measure. Not reporting that the storage went
 * back is not a loss.
 */
export const isLost = (breaks: Result['breaks']): boolean => Object.keys(breaks).some((check) => check !== 'announced');
