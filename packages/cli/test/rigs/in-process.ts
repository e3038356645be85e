import { run } from '../../src/run.ts';
import { fakeHost } from './fake-host.ts';

/** Runs a command to its end in this process: the same as `finished` of `child.ts`, without the process and its start. */
export async function ran(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly out: string; readonly error: string }> {
  const host = fakeHost({ realTime: true, environment: { HOME: '/nonexistent', ...environment } });
  const code = await run(args, host);
  return { code, out: host.stdout.text, error: host.stderr.text };
}
