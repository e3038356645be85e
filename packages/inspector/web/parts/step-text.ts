import type { TimelineStep } from '../../src/protocol/messages.ts';
import { pluralFigureText, spanFigureText } from './figure-text.ts';

export const KINDS: Readonly<Record<TimelineStep['kind'], string>> = {
  stream: 'streamed list',
  list: 'list',
  watch: 'watch',
  wait: 'wait',
  resync: 'resync',
  epoch: 'new epoch',
};

/** Removes the common prefix of reasons. */
export const stepReasonText = (because: string): string =>
  because.replace(/^(?:the watch failed: )?(?:GET \S+: )?/, '');

/** Describes a step in one sentence. */
export function stepText({ kind, startedAt, endedAt, objects, because, failed }: TimelineStep, now: number): string {
  const ms = (endedAt ?? now) - startedAt;
  const why = because === '' ? '' : `: ${stepReasonText(because)}`;
  const isOver = endedAt !== undefined;
  switch (kind) {
    case 'stream':
    case 'list':
      if (!isOver) return `listing for ${spanFigureText(ms)}, ${pluralFigureText(objects, 'object')} so far`;
      return failed
        ? `list failed after ${spanFigureText(ms)}${why}`
        : `listed ${pluralFigureText(objects, 'object')} in ${spanFigureText(ms)}`;
    case 'watch':
      return isOver
        ? `watch ended after ${spanFigureText(ms)} and ${pluralFigureText(objects, 'event')}${why}`
        : `watching for ${spanFigureText(ms)}, ${pluralFigureText(objects, 'event')}`;
    case 'wait':
      return isOver ? `waited ${spanFigureText(ms)}${why}` : `waiting for ${spanFigureText(ms)}${why}`;
    case 'resync':
      return 'all objects were delivered to the handlers again';
    case 'epoch':
      return `the server's storage was restored or replaced${why}`;
  }
}
