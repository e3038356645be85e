import { createRequire } from 'node:module';
import { onPath } from '../runtimes/find.ts';

/** The part of playwright-core that is used. It is installed apart (test/runtimes), so its own types may not be here. */
export interface Tab {
  goto(url: string): Promise<unknown>;
  evaluate<R, A>(run: (argument: A) => Promise<R>, argument: A): Promise<R>;
  waitForFunction(holds: () => boolean): Promise<unknown>;
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void;
  on(event: 'pageerror', listener: (error: Error) => void): void;
}

export interface Browser {
  version(): string;
  newPage(): Promise<Tab>;
  close(): Promise<void>;
}

interface Playwright {
  readonly chromium: { launch(options: { executablePath: string; args: readonly string[] }): Promise<Browser> };
}

const executablePath = process.env['CHROMIUM'] ?? onPath('chromium', 'chromium-browser', 'google-chrome');

function playwright(): Playwright | undefined {
  try {
    return createRequire(new URL('../runtimes/package.json', import.meta.url))('playwright-core') as Playwright;
  } catch {
    return undefined; // said by `whatBrowserIsMissing`
  }
}

/** Why there is no browser, in a sentence; undefined when there is one. */
export function whatBrowserIsMissing(): string | undefined {
  if (executablePath === undefined) return 'Chromium is not installed (apt-get install chromium, or set CHROMIUM)';
  if (playwright() === undefined) return 'playwright-core is not there: run "npm ci --prefix test/runtimes"';
  return onPath('kubectl') === undefined ? 'kubectl is not installed (apt-get install kubernetes-client)' : undefined;
}

export async function launchChromium(): Promise<Browser> {
  const found = playwright();
  if (found === undefined || executablePath === undefined) throw new Error(whatBrowserIsMissing());
  // Its sandbox needs what containers do not have; the only page it sees is ours.
  return found.chromium.launch({ executablePath, args: ['--no-sandbox'] });
}
