import { execFileSync } from 'node:child_process';

/** Which commit runs here, and whether it is quite that. */
export function commitOfNow(): string {
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', args, { stdio: ['ignore', 'pipe', 'ignore'] })
        .toString()
        .trim();
    const changed = git('status', '--porcelain', '--untracked-files=no', '--', 'packages', 'test/differential');
    return `${git('rev-parse', '--short=10', 'HEAD')}${changed === '' ? '' : ', with changes'}`;
  } catch {
    return 'unknown';
  }
}
