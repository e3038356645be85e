import { type InformerState } from 'kube-informer';
import { objectAgeText } from '@kube-informer/inspector/internal';
import { errorText } from './error-text.ts';
import { escapeText } from '../text/escape.ts';
import type { Tone } from '../text/style.ts';

/** The state of an informer, with the reason, in a few words. `now` is the wall clock. */
export function stateText(state: InformerState, now: number): string {
  switch (state.kind) {
    case 'stale':
      return `stale for ${objectAgeText(now - state.since)}: ${state.reason}`;
    case 'starting':
      return state.problem === undefined ? 'starting' : `starting: ${state.problem.reason}`;
    case 'idle':
    case 'synced':
    case 'stopped':
      return state.kind;
  }
}

/** The error behind a state, if there is one. */
export function stateTextDetail(state: InformerState): string {
  const error = state.kind === 'stale' ? state.error : state.kind === 'starting' ? state.problem?.error : undefined;
  if (error === undefined) return '';
  return escapeText(errorText(error));
}

export function stateTextTone({ kind }: InformerState): Tone {
  return kind === 'synced' ? 'good' : kind === 'stopped' ? 'bad' : 'warn';
}
