import { spawn } from 'node:child_process';

export interface ProgramEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, within a time. What it leaves behind in its group of processes is ended too. */
export function runProgram(
  command: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>>; readonly timeoutMs: number },
): Promise<ProgramEnd> {
  const [program = '', ...args] = command;
  const { cwd = process.cwd(), env = {}, timeoutMs } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const endGroup = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Nothing is left of it.
      }
    };
    const timer = setTimeout(() => {
      stderr += `\nended after ${timeoutMs / 1_000} s`;
      endGroup();
    }, timeoutMs);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      endGroup();
      resolve({ code: code ?? 1, stdout, stderr });
    });
  });
}
