/**
 * Takes the screenshots in docs/images: the inspector, while the demo runs.
 *
 *   node tools/docs/screenshots.mjs [directory]
 *
 * Needs Chromium (or its path in CHROMIUM) and `npm ci --prefix test/runtimes`.
 */
import { spawn } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const directory = process.argv[2] ?? join(root, 'docs/images');
/** Long enough for the demo to fill the plots. */
const STORY_MS = 50_000;
const MAX_BYTES = 200_000;

const { chromium } = createRequire(join(root, 'test/runtimes/package.json'))('playwright-core');
const demo = spawn(
  process.execPath,
  ['--import', 'tsx', '--conditions=@kube-informer/source', 'packages/cli/src/main.ts', 'demo', '--seconds', '600'],
  { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

try {
  const url = await addressOf(demo);
  await mkdir(directory, { recursive: true });
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    await pictures(browser, url);
  } finally {
    await browser.close();
  }
} finally {
  demo.kill('SIGTERM');
}

async function pictures(browser, url) {
  const wide = { width: 1280, height: 800 };
  const light = await browser.newPage({ viewport: wide, colorScheme: 'light' });
  await light.goto(url);
  await light.getByText('all up to date').waitFor();
  // Makes the timeline more interesting.
  await pause(STORY_MS / 2);
  await fault(light, 'Cut all watches');
  await pause(STORY_MS / 4);
  await fault(light, 'Restart the server');
  await pause(STORY_MS / 4);
  await light.keyboard.press('1');
  await light.getByText('all up to date').waitFor();
  await pause(2_000);
  await light.mouse.move(1270, 20);
  await take(light, 'overview');
  await light.getByRole('link', { name: 'v1/pods' }).first().click();
  await pause(3_000);
  await take(light, 'resource');
  await light.keyboard.press('2');
  const row = light.getByRole('group', { name: 'v1/pods, timeline' });
  await row.focus();
  for (let i = 0; i < 3; i += 1) await row.press('ArrowLeft');
  await take(light, 'timeline');

  await light.keyboard.press('4');
  await light.getByText('leads, 1 replica ready').waitFor();
  await pause(1_500);
  await take(light, 'controllers');
  await light.getByRole('link', { name: 'db/orders-backup', exact: true }).click();
  await pause(1_500);
  await take(light, 'key');

  const dark = await browser.newPage({ viewport: wide, colorScheme: 'dark' });
  await dark.goto(url);
  await dark.getByRole('link', { name: 'apps/v1/deployments' }).first().click();
  await dark.getByRole('link', { name: 'web', exact: true }).click();
  await dark.locator('.versions button:not(:disabled)').first().click();
  await pause(500);
  await take(dark, 'object');

  const narrow = await browser.newPage({
    viewport: { width: 390, height: 844 },
    colorScheme: 'light',
    deviceScaleFactor: 2,
  });
  await narrow.goto(url);
  await narrow.getByText('all up to date').waitFor();
  await pause(1_500);
  await take(narrow, 'overview-narrow');
  await narrow.getByRole('link', { name: 'apps/v1/deployments' }).first().click();
  await narrow.getByRole('link', { name: 'web', exact: true }).click();
  await narrow.locator('.versions button:not(:disabled)').first().click();
  await pause(500);
  await mustFit(narrow, 'an object on a phone');
  await narrow.keyboard.press('4');
  await narrow.getByRole('link', { name: 'db/orders-backup', exact: true }).click();
  await pause(1_500);
  await mustFit(narrow, 'a key on a phone');
}

async function fault(page, title) {
  await page.keyboard.press('5');
  await page.getByRole('button', { name: `${title}: start` }).click();
}

async function mustFit(page, name) {
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (beyond > 0) throw new Error(`${name}: the page is ${beyond} px wider than the window`);
}

async function take(page, name) {
  await mustFit(page, name);
  const path = join(directory, `${name}.png`);
  await page.screenshot({ path });
  const { size } = await stat(path);
  console.log(`${name}.png: ${size} bytes`);
  if (size > MAX_BYTES) throw new Error(`${name}.png is too large`);
}

function addressOf(child) {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const [url] = /http:\/\/127\.0\.0\.1:\d+\/#token=\S+/.exec(text) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`the demo ended with ${code}`)));
  });
}
