import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onPath } from './find.ts';

export interface KubectlProxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts `kubectl proxy` on a free loopback port: the API without credentials for every local process. */
export async function kubectlProxy(kubeconfig: string, ...flags: readonly string[]): Promise<KubectlProxy> {
  const kubectl = onPath('kubectl') ?? 'kubectl';
  const child = spawn(kubectl, [`--kubeconfig=${kubeconfig}`, 'proxy', '--port=0', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const die = (): void => void child.kill('SIGKILL');
  process.once('exit', die);
  const stop = async (): Promise<void> => {
    process.off('exit', die);
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  while (child.exitCode === null) {
    const [, address] = /Starting to serve on (\S+)\n/.exec(said) ?? [];
    if (address !== undefined) return { url: `http://${address}`, stop };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`kubectl proxy ended: ${said}`);
}
