import type { Dice } from '../world/dice.ts';
import { CONTROLS } from './controls.ts';
import { CUTS } from './cuts.ts';
import { INPUTS } from './inputs.ts';
import { PROCESS } from './process.ts';
import { REFUSALS } from './refusals.ts';
import { RELAYS } from './relays.ts';
import { REPLICAS } from './replicas.ts';
import type { Scenario } from './scenario.ts';
import { RESTORES } from './restores.ts';
import { SILENCE } from './silence.ts';
import { UNUSABLE } from './unusable.ts';

const KINDS = [CONTROLS, RELAYS, REPLICAS, SILENCE, REFUSALS, PROCESS, CUTS, INPUTS, UNUSABLE, RESTORES] as const;
const SINGLE: readonly Scenario[] = KINDS.flat();

/** The first scenario of each kind. */
export const FIRST_OF_KIND: ReadonlySet<Scenario> = new Set(KINDS.flatMap(([first]) => first ?? []));

/** Two scenarios at once: each alone may be judged rightly, and both together wrongly. */
const MIXED: Scenario = {
  name: 'mixed',
  about: 'two of the others at once',
  setup: () => ({ replicas: 2, othersEveryMs: 5_000, bookmarks: true, watchList: true }),
  begin: (stage) => {
    // An event that a replica sends late has no date: followed by silence, nothing shows how old it was.
    const second = stage.dice.pick([REPLICAS, SILENCE]);
    const [first, ...others] = [RELAYS, second, CUTS, PROCESS.filter(({ name }) => name !== 'block-hangs')]
      .map((kind) => ({ kind, turn: stage.dice.unit() }))
      .sort((a, b) => a.turn - b.turn)
      .map(({ kind }) => stage.dice.pick(kind));
    for (const scenario of [first, others[0]]) {
      stage.world.path.strike(`mixed: ${scenario?.name}`);
      scenario?.begin(stage);
    }
  },
  expects: { maxLagMs: undefined, spread: true },
};

export const SCENARIOS: readonly Scenario[] = [...SINGLE, MIXED];

export type { Scenario };

/** The scenario of that name; `any` lets the dice decide. */
export function scenarioNamed(name: string, dice: Dice): Scenario {
  if (name === 'any') return dice.pick(SCENARIOS);
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (found === undefined)
    throw new Error(`no scenario "${name}"; there are ${SCENARIOS.map((scenario) => scenario.name).join(', ')}`);
  return found;
}
