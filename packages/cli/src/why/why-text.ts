import type { KeyDetail, RunDetail } from '@kube-informer/inspector';
import { objectAgeText } from '@kube-informer/inspector/internal';
import { escapeText } from '../text/escape.ts';
import { pluralNumber } from '../text/numbers.ts';
import { joinSafe, type Safe, safe } from '../text/safe.ts';
import type { Palette } from '../text/style.ts';
import { type TableColumn, tableLines, type TableRow } from '../text/table-lines.ts';

const COLUMNS: readonly TableColumn[] = [
  { title: safe`RUN` },
  { title: safe`OUTCOME` },
  { title: safe`IN LINE`, align: 'right' },
  { title: safe`TOOK`, align: 'right' },
  { title: safe`WRITES` },
  { title: safe`BECAUSE OF` },
];

/** A key as text: the sentence, the responding process, and its runs, the last one first. Everything comes from another process. */
export function whyText(detail: KeyDetail, palette: Palette): readonly Safe[] {
  const { sentence, controller, operator, state, runs, at } = detail;
  const about = safe`controller ${escapeText(controller)} · ${escapeText(operator)}, ${escapeText(state)}`;
  const head = [palette('bold', escapeText(sentence)), palette('dim', about)];
  if (runs.length === 0) return [...head, safe``, safe` it has not run, and no run is planned`];
  const rows = runs.map((run): TableRow => {
    const tones = [undefined, run.tone === 'plain' ? undefined : run.tone];
    return { cells: whyTextCells(run, at), tones };
  });
  const errors = runs
    .filter(({ error }) => error !== '')
    .map((run) => safe` ${whyTextTime(run, at)}: ${escapeText(run.error)}`);
  return [...head, safe``, ...tableLines(COLUMNS, rows, palette), ...(errors.length === 0 ? [] : [safe``, ...errors])];
}

function whyTextCells(run: RunDetail, now: number): readonly Safe[] {
  const { outcome, queuedAt, startedAt, endedAt, events } = run;
  return [
    whyTextTime(run, now),
    escapeText(run.attempt > 1 ? `${outcome}, attempt ${run.attempt}` : outcome),
    queuedAt === undefined || queuedAt > now ? safe`-` : whyTextSpan((startedAt ?? now) - queuedAt),
    startedAt === undefined ? safe`-` : whyTextSpan((endedAt ?? now) - startedAt),
    whyTextOfWrites(run),
    joinSafe(events.map(({ reason }) => escapeText(reason)), ', '),
  ]; // prettier-ignore
}

function whyTextTime({ startedAt, queuedAt }: RunDetail, now: number): Safe {
  if (startedAt !== undefined) return escapeText(`${objectAgeText(now - startedAt)} ago`);
  return queuedAt !== undefined && queuedAt > now ? escapeText(`in ${objectAgeText(queuedAt - now)}`) : safe`next`;
}

/** The number of writes, and how long the caches took to have the last one. */
function whyTextOfWrites({ writes }: RunDetail): Safe {
  if (writes.length === 0) return safe`0`;
  const missing = writes.filter(({ echoedAt }) => echoedAt === undefined).length;
  if (missing > 0) return safe`${writes.length}, ${missing} not in a cache`;
  const slowest = Math.max(...writes.map(({ at, echoedAt = at }) => echoedAt - at));
  return safe`${writes.length}, in the cache after ${whyTextSpan(slowest)}`;
}

/** A duration: `12 ms`, `3.4 s` */
function whyTextSpan(ms: number): Safe {
  if (ms < 1_000) return safe`${Math.max(0, Math.round(ms))} ms`;
  return ms < 60_000 ? escapeText(`${(ms / 1_000).toFixed(1)} s`) : pluralNumber(ms / 60_000, safe`minute`);
}
