import process from 'node:process';
import { informerProgram, type ProgramSettings } from './informer-program.ts';

// For Node, Deno and Bun. Settings come as JSON in a variable, the result is printed as one JSON line. Nothing here ends
// the process: a connection or a timer that is left open keeps it alive, and the test fails.
const settings = JSON.parse(process.env['PROGRAM_SETTINGS'] ?? '{}') as ProgramSettings;
try {
  console.log(JSON.stringify(await informerProgram(settings)));
} catch (error) {
  const { code, message, cause } = error as Error & { code?: string; cause?: { code?: string; message?: string } };
  console.log(JSON.stringify({ failed: code, message, cause: cause?.code ?? cause?.message }));
}
