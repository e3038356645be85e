import { commitOfNow } from './commit.ts';
import { clientNodeVersion, spawnClientNode, startClientNode } from './node-client.ts';
import { type Outcome, tell } from './run.ts';
import { BOUND_MS, type Script } from './script.ts';

/** Scripts at a time: they mostly wait. */
const AT_A_TIME = 24;

/** The outcome of one script for client-node. Scripts have no expectations of it. */
export type NodeResult = Pick<Outcome, 'failures' | 'requests' | 'wholes' | 'echoes' | 'ms'> & {
  readonly name: string;
};

export interface NodeFindings {
  readonly date: string;
  readonly commit: string;
  readonly seconds: number;
  readonly clientNode: string;
  readonly withinMs: number;
  readonly results: readonly NodeResult[];
  /** Scripts whose run itself failed. */
  readonly failed: readonly { readonly name: string; readonly text: string }[];
}

async function tellOne(script: Script): Promise<Outcome> {
  const host = await spawnClientNode();
  return tell(script, (received, address) => startClientNode(host, received, address), BOUND_MS);
}

/** Plays every script to client-node. A client that does not recover had the time of G4's bound. */
export async function tellClientNode(
  scripts: readonly Script[],
  log: (line: string) => void = () => {},
): Promise<NodeFindings> {
  const began = Date.now();
  const commit = commitOfNow();
  const results: NodeResult[] = [];
  const failed: { readonly name: string; readonly text: string }[] = [];
  const waiting = scripts.filter(({ notForClientNode }) => notForClientNode === undefined);
  const worker = async (): Promise<void> => {
    for (let script = waiting.shift(); script !== undefined; script = waiting.shift()) {
      const { name } = script;
      const outcome = await tellOne(script).catch((error: unknown) => String(error));
      if (typeof outcome === 'string') {
        failed.push({ name, text: outcome });
        log(`${name}: the run failed: ${outcome}`);
        continue;
      }
      const { failures, requests, wholes, echoes, ms } = outcome;
      results.push({ name, failures, requests, wholes, echoes, ms });
      const said = failures.map(({ check, text }) => `${check}: ${text.slice(0, 120)}`).join('; ');
      log(`${results.length}/${scripts.length} ${name}: ${said === '' ? 'ok' : said} (${ms} ms)`);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  const order = new Map(scripts.map(({ name }, at) => [name, at]));
  return {
    date: new Date(began).toISOString(),
    commit,
    seconds: Math.round((Date.now() - began) / 1000),
    clientNode: await clientNodeVersion(),
    withinMs: BOUND_MS,
    failed,
    results: results.toSorted((one, other) => (order.get(one.name) ?? 0) - (order.get(other.name) ?? 0)),
  };
}
