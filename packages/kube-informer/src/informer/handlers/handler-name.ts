import { behindFiltered } from './filtered.ts';
import type { Handler } from './handlers.ts';

/** The name of a handler in log lines: its class, or the names of its callback functions. */
export function handlerName(handler: Handler<never>): string {
  const behind = behindFiltered(handler);
  if (behind !== undefined) return `filtered ${handlerName(behind)}`;
  const className = (Object.getPrototypeOf(handler) as object | null)?.constructor?.name;
  if (className !== undefined && className !== '' && className !== 'Object') return className;
  const names = (['add', 'update', 'delete'] as const)
    .map((on) => handler[on]?.name ?? '')
    .filter((name) => name !== '');
  const own = names.filter((name) => name !== 'add' && name !== 'update' && name !== 'delete');
  if (own.length === 0) return 'handler';
  return [...new Set(own)].join('+');
}
