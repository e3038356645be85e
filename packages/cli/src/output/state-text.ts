import { type InformerState } from 'kube-informer';
import { objectAgeText } from '@kube-informer/inspector/internal';
import { errorText } from './error-text.ts';
import { escapeText } from '../text/escape.ts';
import type { Tone } from '../text/style.ts';
import { safe, type Safe } from '../text/safe.ts';

/** The state of an informer, with the reason, in a few words. `now` is the wall clock. */
export function stateText(state: InformerState, now: number): Safe {
  switch (state.kind) {
    case 'stale':
      return escapeText(`stale for ${objectAgeText(now - state.since)}: ${state.reason}`);
    case 'polling':
      return escapeText(`polling: ${state.reason}`);
    case 'starting':
      return escapeText(state.problem === undefined ? 'starting' : `starting: ${state.problem.reason}`);
    case 'idle':
    case 'synced':
    case 'stopped':
      return escapeText(state.kind);
  }
}

/** The error behind a state, if there is one. */
export function stateTextDetail(state: InformerState): Safe {
  const behind = state.kind === 'starting' ? state.problem : 'error' in state ? state : undefined;
  const error = behind?.error;
  if (error === undefined) return safe``;
  return escapeText(errorText(error));
}

export function stateTextTone({ kind }: InformerState): Tone {
  return kind === 'synced' ? 'good' : kind === 'stopped' ? 'bad' : 'warn';
}
