/** Errors that reporters found in a run besides failed tests. */
export const complaints: string[] = [];

/** Prints a complaint and makes the run fail. */
export function complain(text: string): void {
  complaints.push(text);
  console.error(text);
  process.exitCode = 1;
}
