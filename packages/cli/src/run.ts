import {
  parseInvocation,
  nearestInvocationWord,
  quoteInvocationWord,
  invocationError,
} from './arguments/invocation.ts';
import { EXIT } from './host/exit-code.ts';
import type { Command } from './arguments/command.ts';
import { COMMANDS } from './commands/all-commands.ts';
import { reportCommandFailure } from './output/command-failure.ts';
import { commandHelp, generalHelp } from './arguments/help.ts';
import type { Host } from './host/host.ts';
import { HELP_OPTION } from './arguments/output-option.ts';
import { stylePalette } from './text/style.ts';
import { cliVersionText } from './host/cli-version.ts';
import { safe } from './text/safe.ts';
import { escapeText, escapeLines } from './text/escape.ts';

/**
 * The program: parses the arguments, runs the command, and reports its failure.
 *
 * Resolves with the exit code and never rejects.
 */
export async function run(args: readonly string[], host: Host): Promise<number> {
  const { stdout, stderr, environment } = host;
  const [name, ...rest] = args;
  const palette = stylePalette(stdout.isTerminal, environment);
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const asked = COMMANDS.find((command) => command.name === rest[0]);
    stdout.write(asked === undefined ? generalHelp(COMMANDS, palette) : commandHelp(asked, palette));
    return name === undefined ? EXIT.usage : EXIT.success;
  }
  if (name === '--version' || name === '-V' || name === 'version') {
    stdout.write(safe`${escapeText(await cliVersionText())}\n`);
    return EXIT.success;
  }
  try {
    const command = chooseRun(name);
    const invocation = parseInvocation(rest, { ...command.options, ...HELP_OPTION });
    if (invocation.has('help')) {
      stdout.write(commandHelp(command, palette));
      return EXIT.success;
    }
    checkRunPositionals(command, invocation.positionals);
    return await command.run(invocation, host);
  } catch (error) {
    // After an interruption, errors are a consequence of it and not reported.
    if (host.signal.aborted) return host.signal.reason === 'output closed' ? EXIT.success : EXIT.interrupted;
    const code = reportCommandFailure(error, host);
    if (code === EXIT.usage) stderr.write(escapeLines(`  See kube-informer ${canRun(name) ? `${name} ` : ''}--help\n`));
    return code;
  }
}

function chooseRun(name: string): Command {
  const command = COMMANDS.find((one) => one.name === name);
  if (command !== undefined) return command;
  const near = nearestInvocationWord(name, COMMANDS.map((one) => one.name)); // prettier-ignore
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  throw invocationError(
    name.startsWith('-')
      ? `expected a command before option ${quoteInvocationWord(name)}`
      : `unknown command ${quoteInvocationWord(name)}${hint}`,
  );
}

const canRun = (name: string): boolean => COMMANDS.some((one) => one.name === name);

function checkRunPositionals(
  { name, usage, positionals: { min = 0, max = Infinity } = {} }: Command,
  positionals: readonly string[],
): void {
  if (positionals.length >= min && positionals.length <= max) return;
  const names = usage.match(/<[^<>]+>/g) ?? [];
  const what =
    positionals.length < min
      ? `missing argument ${names[positionals.length] ?? ''}`
      : `unexpected argument ${quoteInvocationWord(positionals[max] ?? '')}`;
  throw invocationError(`${what}. Usage: kube-informer ${name} ${usage}`);
}
