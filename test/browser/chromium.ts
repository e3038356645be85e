import { createRequire } from 'node:module';
import { onPath } from '../runtimes/find.ts';

/** The part of playwright-core that is used. It is installed in test/runtimes, so its own types may be missing. */
export interface Tab {
  goto(url: string): Promise<unknown>;
  evaluate<R, A>(run: (argument: A) => Promise<R>, argument: A): Promise<R>;
  waitForFunction(holds: () => boolean): Promise<unknown>;
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void;
  on(event: 'pageerror', listener: (error: Error) => void): void;
}

/** An element of the page; calls wait until it exists. */
export interface Part {
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  focus(): Promise<void>;
  hover(options: { readonly position: { readonly x: number; readonly y: number } }): Promise<void>;
  press(key: string): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  waitFor(): Promise<void>;
  count(): Promise<number>;
  innerText(): Promise<string>;
  allInnerTexts(): Promise<string[]>;
  first(): Part;
}

/** A tab that a test reads and types in. */
export interface Sheet extends Tab {
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  locator(selector: string): Part;
  getByRole(role: string, options: { readonly name: string; readonly exact?: boolean }): Part;
  url(): string;
  reload(): Promise<unknown>;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  close(): Promise<void>;
}

export interface SheetOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
}

export interface Browser {
  version(): string;
  newPage(options?: SheetOptions): Promise<Sheet>;
  close(): Promise<void>;
}

interface Playwright {
  readonly chromium: {
    launch(options: { executablePath: string; args: readonly string[]; timeout: number }): Promise<Browser>;
  };
}

const executablePath = process.env['CHROMIUM'] ?? onPath('chromium', 'chromium-browser', 'google-chrome');

function playwright(): Playwright | undefined {
  try {
    return createRequire(new URL('../runtimes/package.json', import.meta.url))('playwright-core') as Playwright;
  } catch {
    return undefined; // said by `whatBrowserIsMissing`
  }
}

/** The reason there is no browser, as a sentence; undefined if there is one. */
export function whatChromiumIsMissing(): string | undefined {
  if (executablePath === undefined) return 'Chromium is not installed (apt-get install chromium, or set CHROMIUM)';
  return playwright() === undefined ? 'playwright-core is not there: run "npm ci --prefix test/runtimes"' : undefined;
}

/** The same for tests that need an API server behind `kubectl proxy`. */
export function whatBrowserIsMissing(): string | undefined {
  const missing = whatChromiumIsMissing();
  if (missing !== undefined) return missing;
  return onPath('kubectl') === undefined ? 'kubectl is not installed (apt-get install kubernetes-client)' : undefined;
}

export async function launchChromium(...args: readonly string[]): Promise<Browser> {
  const found = playwright();
  if (found === undefined || executablePath === undefined) throw new Error(whatChromiumIsMissing());
  // The sandbox does not work in containers, and the browser opens only our own pages.
  return found.chromium.launch({ executablePath, args: ['--no-sandbox', ...args], timeout: 120_000 });
}
