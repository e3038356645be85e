import type { OptionSpec } from './invocation.ts';
import type { Command } from './command.ts';
import type { Palette } from '../text/style.ts';

/** The help of the program: a list of commands. */
export function generalHelp(commands: readonly Command[], palette: Palette): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 3;
  const list = commands.map(({ name, summary }) => `  ${palette('good', name.padEnd(width))}${summary}`);
  return `${[
    `${palette('bold', 'kube-informer')}: a Kubernetes cluster in the terminal, live and read-only.`,
    '',
    palette('bold', 'Usage:'),
    '  kube-informer <command> [options]',
    '',
    palette('bold', 'Commands:'),
    ...list,
    '',
    palette('bold', 'Examples:'),
    '  kube-informer demo                       try it on a small simulated cluster',
    '  kube-informer watch pods -A              all pods, live',
    '  kube-informer watch deploy -n shop -l app=web',
    '  kube-informer doctor                     check the connection to the cluster',
    '',
    'Run kube-informer <command> --help for the options of a command. NO_COLOR disables colours.',
  ].join('\n')}\n`;
}

export function commandHelp(command: Command, palette: Palette): string {
  const { name, summary, usage, about, examples, options } = command;
  const shown = Object.entries(options).map(([option, spec]) => [helpSyntax(option, spec), spec.help] as const);
  const wide = (entries: readonly (readonly [string, string])[]): number =>
    Math.min(48, Math.max(0, ...entries.map(([left]) => left.length)) + 3);
  const rows = (entries: readonly (readonly [string, string])[]): string[] =>
    entries.map(([left, right]) => `  ${left.padEnd(wide(entries))}${left.length >= 48 ? '  ' : ''}${right}`.trimEnd());
  return `${[
    `${palette('bold', `kube-informer ${name}`)}: ${summary}`,
    ...(about === undefined ? [] : ['', about]),
    '',
    palette('bold', 'Usage:'),
    `  kube-informer ${name} ${usage}`.trimEnd(),
    '',
    palette('bold', 'Options:'),
    ...rows(shown),
    ...(examples.length === 0 ? [] : ['', palette('bold', 'Examples:'), ...rows(examples)]),
  ].join('\n')}\n`;
}

function helpSyntax(name: string, { short, value }: OptionSpec): string {
  return `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;
}
