import type { Host, Size } from '../host/host.ts';
import { Screen } from './screen.ts';

/** Something shown until the person has seen enough. */
export interface LiveView {
  /** What the screen should look like now. What is too much for it is cut off. */
  lines(size: Size): readonly string[];
  /** A key that is not one of those that end it. Names for arrows and pages: `up`, `down`, `pageup` … */
  onKey?(key: string): void;
}

/** Often enough to look alive, seldom enough to cost nothing. */
const FRAME_MS = 100;

const KEYS: Readonly<Record<string, string>> = {
  '\u001b[A': 'up', '\u001bOA': 'up', k: 'up',
  '\u001b[B': 'down', '\u001bOB': 'down', j: 'down',
  '\u001b[5~': 'pageup', b: 'pageup',
  '\u001b[6~': 'pagedown', ' ': 'pagedown',
  '\u001b[H': 'home', '\u001b[1~': 'home', g: 'home',
  '\u001b[F': 'end', '\u001b[4~': 'end', G: 'end',
}; // prettier-ignore

/**
 * Shows a view on the whole terminal until `signal` aborts, `q` or Ctrl-C is typed.
 *
 * Gives the terminal back on every way out. Ctrl-Z stops the process with the terminal restored.
 */
export async function showLive(host: Host, view: LiveView, signal: AbortSignal = host.signal): Promise<void> {
  const { env, stdout, keyboard } = host;
  const screen = new Screen(stdout);
  const draw = (): void => {
    const size = stdout.size();
    screen.draw(view.lines(size).slice(0, size.rows));
  };
  let unlistenKeys = (): void => {};
  const enter = (): void => {
    screen.enter();
    if (keyboard !== undefined) unlistenKeys = keyboard.onKey(onKey);
  };
  const leave = (): void => {
    unlistenKeys();
    unlistenKeys = () => {};
    screen.leave();
  };
  const onKey = (key: string): void => {
    if (key === '\u0003' || key === 'q' || key === 'Q') return host.interrupt('keyboard');
    if (key === '\u001a') {
      leave();
      return host.suspend(() => {
        if (!signal.aborted) enter();
      });
    }
    view.onKey?.(KEYS[key] ?? key);
    draw();
  };
  const forget = [
    host.onExit(leave),
    stdout.onResize(() => {
      screen.forget();
      draw();
    }),
  ];
  enter();
  try {
    while (!signal.aborted) {
      draw();
      await env.sleep(FRAME_MS, signal);
    }
  } finally {
    for (const unlisten of forget) unlisten();
    leave();
  }
}
