import type { ControlPlane } from '../real/harness/control-plane.ts';
import { until } from '../real/harness/until.ts';

/** The number of open watches of a resource in the metrics of kube-apiserver, its own included. */
export async function watchesOf(plane: ControlPlane, resource: string): Promise<number> {
  const { text } = await plane.ask('GET', '/metrics');
  return text
    .split('\n')
    .filter((line) => line.startsWith('apiserver_longrunning_requests{') && line.includes(`resource="${resource}"`))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** The same once the server has opened all of its own: the number has not changed for two seconds. */
export async function settledWatchesOf(plane: ControlPlane, resource: string): Promise<number> {
  const seen: number[] = [];
  const isSettled = async (): Promise<boolean> => {
    seen.push(await watchesOf(plane, resource));
    return seen.length > 4 && new Set(seen.slice(-5)).size === 1;
  };
  await until(`the count of watches of ${resource} is settled`, isSettled, {
    everyMs: 500,
    inTheWay: () => seen.slice(-5).join(', '),
  });
  return seen.at(-1) ?? 0;
}
