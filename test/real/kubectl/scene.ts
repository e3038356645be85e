import { STATUSES } from './statuses.ts';

/** What a person does at the terminal, in order; `$v` stands for a word of this kubectl and this take, for names that all share. */
export interface Scene {
  readonly name: string;
  /** What others do at the same time would be seen. */
  readonly alone?: true;
  readonly steps: readonly Step[];
}

export type Step = string | Command | Following | Status;

export interface Command {
  readonly run: string;
  /** Only with this kubectl: the other has no such command. */
  readonly only?: 'old' | 'new';
  readonly stdin?: string;
  readonly editor?: string;
  /** The output has no order of its own. */
  readonly sorted?: true;
  /** The server knows of it a little later: asked again until it does. */
  readonly again?: true;
  /** What it says is `$uid` from now on. */
  readonly isUid?: true;
  /** Without what fields mean, which the embedded server does not carry: names, types and shapes count. */
  readonly bare?: true;
}

/** Somebody else writes a status meanwhile: not with kubectl, whose old one cannot. */
export interface Status {
  readonly status: object;
  readonly path: string;
}

/** A command that goes on while others run: they begin when it has said something, it ends after so many lines. */
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
