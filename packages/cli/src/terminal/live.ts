import type { Host, Size } from '../host/host.ts';
import { terminalKeysOfChunk, movingTerminalKey } from './terminal-keys.ts';
import { Screen } from './screen.ts';
import { type Safe } from '../text/safe.ts';

/** A full-screen view. */
export interface LiveView {
  /** The lines to show now. Lines beyond the screen are cut off. */
  lines(size: Size): readonly Safe[];
  /** Called for keys that do not quit. Keys that are not characters have names: `up`, `down`, `pageup`, `enter` … */
  onKey?(key: string): void;
  /** Whether text is being typed: letters are passed to `onKey` as they are, and `q` does not quit. @default false */
  readonly isTyping?: boolean;
}

/** Time between two frames: looks live, and costs little. */
const FRAME_MS = 100;

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
  const press = (key: string): void => {
    const isTyping = view.isTyping ?? false;
    if (key === 'interrupt' || (!isTyping && (key === 'q' || key === 'Q'))) return host.interrupt('keyboard');
    if (key !== 'suspend') return view.onKey?.(isTyping ? key : movingTerminalKey(key));
    leave();
    host.suspend(() => {
      if (!signal.aborted) enter();
    });
  };
  const onKey = (chunk: string): void => {
    for (const key of terminalKeysOfChunk(chunk)) {
      if (signal.aborted || host.signal.aborted) return;
      press(key);
    }
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
