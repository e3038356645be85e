import { STATUSES } from './statuses.ts';

/** Commands in order. `$v` is unique to this kubectl and this run, for names of shared objects. */
export interface Scene {
  readonly name: string;
  /** Must run alone: it would show objects of other scenes. */
  readonly alone?: true;
  readonly steps: readonly Step[];
}

export type Step = string | Command | Following | Status;

export interface Command {
  readonly run: string;
  /** The only kubectl to run it with: the other has no such command. */
  readonly only?: 'old' | 'new';
  readonly stdin?: string;
  readonly editor?: string;
  /** The output has no order of its own. */
  readonly sorted?: true;
  /** Repeated until the server has the change. */
  readonly again?: true;
  /** Whether `$uid` stands for the output of this step from now on. */
  readonly isUid?: true;
  /** Compared without descriptions of fields, which the embedded server does not have. */
  readonly bare?: true;
}

/** Writes a status without kubectl, because the old version cannot. */
export interface Status {
  readonly status: object;
  readonly path: string;
}

/** A command that runs beside others: they begin after its first output, and it ends after so many lines. */
export interface Following {
  readonly follow: string;
  readonly lines: number;
  readonly during: readonly Step[];
  readonly only?: 'old' | 'new';
}

export const newer = (run: string): Command => ({ run, only: 'new' });
export const older = (run: string): Command => ({ run, only: 'old' });
export const bare = (run: string): Command => ({ run, bare: true });
export const status = (path: string, of: keyof typeof STATUSES): Status => ({
  status: STATUSES[of],
  path: `/${path}/status`,
});
