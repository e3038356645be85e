/** Exit codes of the program. Scripts depend on these numbers. */
export const EXIT = {
  success: 0,
  /** The command failed, or a check did not pass. */
  failed: 1,
  /** The arguments are wrong. */
  usage: 2,
  /** Interrupted before it was done. Commands that run until they are interrupted exit with `success`. */
  interrupted: 130,
} as const;
