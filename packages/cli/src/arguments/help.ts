import type { OptionSpec } from './invocation.ts';
import type { Command } from './command.ts';
import type { Palette } from '../text/style.ts';
import { joinSafe, type Safe, safe } from '../text/safe.ts';
import { escapeLines, escapeText } from '../text/escape.ts';

/** The help of the program: a list of commands. */
export function generalHelp(commands: readonly Command[], palette: Palette): Safe {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 3;
  const list = commands.map(
    ({ name, summary }) => safe`  ${palette('good', escapeText(name.padEnd(width)))}${escapeText(summary)}`,
  );
  return safe`${joinSafe(
    [
      safe`${palette('bold', safe`kube-informer`)}: a Kubernetes cluster in the terminal, live and read-only.`,
      safe``,
      palette('bold', safe`Usage:`),
      safe`  kube-informer <command> [options]`,
      safe``,
      palette('bold', safe`Commands:`),
      ...list,
      safe``,
      palette('bold', safe`Examples:`),
      safe`  kube-informer demo                       try it on a small simulated cluster`,
      safe`  kube-informer watch pods -A              all pods, live`,
      safe`  kube-informer watch deploy -n shop -l app=web`,
      safe`  kube-informer doctor                     check the connection to the cluster`,
      safe``,
      safe`Run kube-informer <command> --help for the options of a command. NO_COLOR disables colours.`,
    ],
    '\n',
  )}\n`;
}

export function commandHelp(command: Command, palette: Palette): Safe {
  const { name, summary, usage, about, examples, options } = command;
  const shown = Object.entries(options).map(([option, spec]) => [helpSyntax(option, spec), spec.help] as const);
  const wide = (entries: readonly (readonly [string, string])[]): number =>
    Math.min(48, Math.max(0, ...entries.map(([left]) => left.length)) + 3);
  const rows = (entries: readonly (readonly [string, string])[]): Safe[] =>
    entries.map(([left, right]) =>
      escapeText(`  ${left.padEnd(wide(entries))}${left.length >= 48 ? '  ' : ''}${right}`.trimEnd()),
    );
  return safe`${joinSafe(
    [
      safe`${palette('bold', escapeText(`kube-informer ${name}`))}: ${escapeText(summary)}`,
      ...(about === undefined ? [] : [safe``, escapeLines(about)]),
      safe``,
      palette('bold', safe`Usage:`),
      escapeText(`  kube-informer ${name} ${usage}`.trimEnd()),
      safe``,
      palette('bold', safe`Options:`),
      ...rows(shown),
      ...(examples.length === 0 ? [] : [safe``, palette('bold', safe`Examples:`), ...rows(examples)]),
    ],
    '\n',
  )}\n`;
}

function helpSyntax(name: string, { short, value }: OptionSpec): string {
  return `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;
}
