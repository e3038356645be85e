import { readFileSync } from 'node:fs';

/** Recorded responses of a real server, in a file beside the test. */
export function fixtures<T>(file: string, test: ImportMeta): T {
  return JSON.parse(readFileSync(new URL(file, test.url), 'utf8')) as T;
}
