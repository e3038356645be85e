// Sends the log of the library to a logger of yours. Without one, warnings and errors are printed on stderr.
//
//   npx tsx --conditions=@kube-informer/source examples/operations/logging.ts

// #region logging
import { Cluster } from 'kube-informer';
import { type Log, systemEnv } from 'kube-informer/core';

/** pino, and loggers like it: `pino().child({ component: 'kube' })` fits. */
interface PinoLike {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** winston: `createLogger(…)` fits. */
interface WinstonLike {
  log(level: string, message: string, fields: object): unknown;
}

const toPino =
  (logger: PinoLike): Log =>
  (level, message, fields = {}) =>
    logger[level](fields, message);

const toWinston =
  (logger: WinstonLike): Log =>
  (level, message, fields = {}) =>
    void logger.log(level, message, fields);

/** One line of JSON, without a logger. */
const toConsole: Log = (level, message, fields) => {
  if (level !== 'debug') console.log(JSON.stringify({ level, message, ...fields }));
};

await using cluster = await Cluster.connect({ env: { ...systemEnv, log: toConsole } });
// #endregion

// What the adapters make of a line.
const print = (level: string, fields: object, message: string): void =>
  console.log(`${level}: ${message} ${JSON.stringify(fields)}`);
const pinoLike: PinoLike = {
  debug: (fields, message) => print('debug', fields, message),
  info: (fields, message) => print('info', fields, message),
  warn: (fields, message) => print('warn', fields, message),
  error: (fields, message) => print('error', fields, message),
};
toPino(pinoLike)('warn', 'to pino', { tries: 3 });
toWinston({ log: (level, message, fields) => print(level, fields, message) })('error', 'to winston');

const pods = cluster.informer('v1/pods');
await pods.synced({ timeoutMs: 30_000 });
