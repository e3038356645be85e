import type { OperatorSummary } from '../../src/protocol/controller-messages.ts';
import { pluralFigureText } from './figure-text.ts';

/** The most important thing about all controllers, in one sentence. */
export function controllersHeadline(operators: readonly OperatorSummary[]): {
  readonly tone: string;
  readonly text: string;
} {
  const alive = operators.filter(({ state }) => state !== 'ended');
  const controllers = alive.flatMap((one) => one.controllers);
  if (controllers.length === 0) return { tone: 'plain', text: 'This process runs no controllers' };
  const hung = controllers.reduce((sum, one) => sum + one.hung, 0);
  if (hung > 0) return { tone: 'bad', text: `${pluralFigureText(hung, 'run')} ignored the signal to stop` };
  const parked = controllers.find(({ state }) => state === 'parked');
  if (parked !== undefined) return { tone: 'warn', text: `${parked.name} waits: ${parked.reason}` };
  const leader = alive.find(({ state }) => state === 'leading');
  const standby = alive.filter(({ state }) => state === 'standby').length;
  if (leader !== undefined) {
    const others = standby === 0 ? '' : `, ${pluralFigureText(standby, 'replica')} ready to take over`;
    const isAlone = alive.length === 1;
    const names = new Set(controllers.map(({ name }) => name));
    return {
      tone: 'good',
      text: isAlone ? `${pluralFigureText(names.size, 'controller')} at work` : `${leader.id} leads${others}`,
    };
  }
  const elsewhere = alive.find((one) => one.leader !== '' && !operators.some(({ id }) => id === one.leader));
  if (elsewhere !== undefined) return { tone: 'warn', text: `${elsewhere.leader} leads; it is not in this process` };
  if (standby > 0)
    return { tone: 'warn', text: `No leader, ${pluralFigureText(standby, 'replica')} waiting for the lease` };
  return { tone: 'warn', text: 'The controllers are starting or stopping' };
}
