import type { TimelineStep } from '../../src/protocol/messages.ts';
import { plural, span } from './format.ts';

export const KINDS: Readonly<Record<TimelineStep['kind'], string>> = {
  stream: 'streamed list',
  list: 'list',
  watch: 'watch',
  wait: 'wait',
  resync: 'resync',
  epoch: 'new epoch',
};

/** Removes the common prefix of reasons. */
export const shortReason = (because: string): string => because.replace(/^(?:the watch failed: )?(?:GET \S+: )?/, '');

/** Describes a step in one sentence. */
export function stepText({ kind, startedAt, endedAt, objects, because, failed }: TimelineStep, now: number): string {
  const ms = (endedAt ?? now) - startedAt;
  const why = because === '' ? '' : `: ${shortReason(because)}`;
  const isOver = endedAt !== undefined;
  switch (kind) {
    case 'stream':
    case 'list':
      if (!isOver) return `listing for ${span(ms)}, ${plural(objects, 'object')} so far`;
      return failed ? `list failed after ${span(ms)}${why}` : `listed ${plural(objects, 'object')} in ${span(ms)}`;
    case 'watch':
      return isOver
        ? `watch ended after ${span(ms)} and ${plural(objects, 'event')}${why}`
        : `watching for ${span(ms)}, ${plural(objects, 'event')}`;
    case 'wait':
      return isOver ? `waited ${span(ms)}${why}` : `waiting for ${span(ms)}${why}`;
    case 'resync':
      return 'all objects were delivered to the handlers again';
    case 'epoch':
      return `the server's storage was restored or replaced${why}`;
  }
}
