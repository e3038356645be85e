import { join } from 'node:path';

/** Reporters that write the results of a suite as JSON into the folder `SUITE_RESULTS`, for tools/evidence; none without it. */
export function suiteResults(suite: string): ['json', { outputFile: string }][] {
  const folder = process.env['SUITE_RESULTS'] ?? '';
  return folder === '' ? [] : [['json', { outputFile: join(folder, `${suite}.json`) }]];
}
