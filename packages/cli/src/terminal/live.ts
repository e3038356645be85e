import type { Host, Size } from '../host/host.ts';
import { Screen } from './screen.ts';
import { type Safe } from '../text/safe.ts';

/** A full-screen view. */
export interface LiveView {
  /** The lines to show now. Lines beyond the screen are cut off. */
  lines(size: Size): readonly Safe[];
  /** Called for keys that do not quit. Arrow and page keys have names: `up`, `down`, `pageup` … */
  onKey?(key: string): void;
}

/** Time between two frames: looks live, and costs little. */
const FRAME_MS = 100;

const KEYS: ReadonlyMap<string, string> = new Map<string, string>(Object.entries({
  '\u001b[A': 'up', '\u001bOA': 'up', k: 'up',
  '\u001b[B': 'down', '\u001bOB': 'down', j: 'down',
  '\u001b[5~': 'pageup', b: 'pageup',
  '\u001b[6~': 'pagedown', ' ': 'pagedown',
  '\u001b[H': 'home', '\u001b[1~': 'home', g: 'home',
  '\u001b[F': 'end', '\u001b[4~': 'end', G: 'end',
})); // prettier-ignore

/**
 * Shows a view on the whole terminal until `signal` aborts, or `q` or Ctrl-C is pressed.
 *
 * Restores the terminal on every exit. Ctrl-Z suspends the process with the terminal restored.
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
    view.onKey?.(KEYS.get(key) ?? key);
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
