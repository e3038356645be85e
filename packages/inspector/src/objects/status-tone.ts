import type { Tone } from '../protocol/messages.ts';

const GOOD = /^(?:Running|Ready|Active|Complete|Completed|Succeeded|Bound|True|Available|Established|Normal)\b/;
const WAITING =
  /^(?:Pending|ContainerCreating|PodInitializing|Terminating|Unknown|Progressing|Suspended|Init:|Released|Warning)/;
const BAD = /Error|Fail|BackOff|OOM|Evicted|Lost|Invalid|NotReady|Killed|^Not |^False$/i;

/** The tone of a status text, in the terminal and on the page: `Running` is good, `1/3 ready` a warning. */
export function statusTone(status: string): Tone {
  const [, ready, wanted] = /^(?:Running )?(\d+)\/(\d+)/.exec(status) ?? [];
  if (ready !== undefined) return ready === wanted ? 'good' : 'warn';
  if (WAITING.test(status) && !/Error|BackOff/.test(status)) return 'warn';
  if (BAD.test(status)) return 'bad';
  return GOOD.test(status) ? 'good' : 'plain';
}
