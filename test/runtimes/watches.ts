import type { ControlPlane } from '../real/harness/control-plane.ts';

/** How many watches of a resource kube-apiserver has open, by its own count, its own included. */
export async function watchesOf(plane: ControlPlane, resource: string): Promise<number> {
  const { text } = await plane.ask('GET', '/metrics');
  return text
    .split('\n')
    .filter((line) => line.startsWith('apiserver_longrunning_requests{') && line.includes(`resource="${resource}"`))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
