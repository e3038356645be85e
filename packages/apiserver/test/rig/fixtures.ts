import { readFileSync } from 'node:fs';

/** Recorded answers of a real server, beside the test that names them. */
export function fixtures<T>(file: string, test: ImportMeta): T {
  return JSON.parse(readFileSync(new URL(file, test.url), 'utf8')) as T;
}
