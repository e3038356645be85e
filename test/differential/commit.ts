import { execFileSync } from 'node:child_process';

/** The current commit, marked if files have changed since. */
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
