import { writeFile } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { GoHost, startClientGo } from './go-client.ts';
import { PING, startOurs } from './our-client.ts';
import { spawnOurs, startOursApart } from './our-process.ts';
import { tell } from './run.ts';
import { isDynamic, type Script } from './script.ts';
import { commitOfNow } from './commit.ts';
import { complaints, type Result } from './verdict.ts';

/** Fewer on a busy machine: a script that gets no processor time misses its limits. */
const AT_A_TIME = Number(process.env['DIFFERENTIAL_AT_A_TIME'] ?? 12);
const LONG_MS = 100_000;

/** Plays every script to both clients, a dozen at a time. Each result is available as soon as its script has ended. */
export class Differential implements AsyncDisposable {
  readonly clientGoVersion: string;
  readonly #host: GoHost;
  readonly #received: { readonly name: string; readonly faults: string }[] = [];
  readonly #results = new Map<string, Promise<Result>>();
  readonly #began = Date.now();
  readonly #commit = commitOfNow();
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  private constructor(host: GoHost) {
    this.#host = host;
    this.clientGoVersion = host.version;
  }

  static async start(scripts: readonly Script[], log?: (line: string) => void): Promise<Differential> {
    const all = new Differential(await GoHost.start(log));
    for (const script of scripts) {
      const result = all.#run(script);
      // The failure is reported by the promise of the result.
      result.catch(() => {});
      all.#results.set(script.name, result);
      all.#received.push({ name: script.name, faults: script.faults.join(' ') });
    }
    return all;
  }

  result(name: string): Promise<Result> {
    return this.#results.get(name) ?? Promise.reject(new Error(`there is no script ${name}`));
  }

  /** All results, for tools/evidence/evidence.mjs. */
  async write(path: string): Promise<void> {
    const results = await Promise.allSettled(this.#results.values());
    const found = {
      date: new Date(this.#began).toISOString(),
      commit: this.#commit,
      seconds: Math.round((Date.now() - this.#began) / 1000),
      node: process.version,
      platform: `${platform()} ${arch()}`,
      clientGo: this.clientGoVersion,
      ping: PING,
      results: results.flatMap((result) => (result.status === 'fulfilled' ? [kept(result.value)] : [])),
      failed: results.flatMap((result, at) =>
        result.status === 'rejected' ? [{ ...this.#received[at], text: String(result.reason) }] : [],
      ),
    };
    await writeFile(path, `${JSON.stringify(found, undefined, 2)}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#results.values());
    await this.#host[Symbol.asyncDispose]();
  }

  async #run(script: Script): Promise<Result> {
    const isLong = Math.max(script.withinMs ?? 0, script.clientGo?.withinMs ?? 0) >= LONG_MS;
    // These mostly wait, and would block the others.
    if (!isLong) await this.#turn();
    try {
      const [ours, clientGo] = await Promise.all([tellOurs(script), this.#tellClientGo(script)]);
      const {
        name,
        faults,
        guarantees = [],
        resumes = false,
        epoch = false,
        title,
        watchList = true,
        notForClientNode,
        clientGo: { breaks } = { breaks: {} },
        moreRequests,
        open = {},
      } = script;
      return {
        name,
        faults,
        guarantees,
        resumes,
        epoch,
        title,
        mode: isDynamic(script) ? 'dynamic' : 'typed',
        watchList,
        ours,
        clientGo,
        breaks,
        open,
        shortened: script.ours ?? {},
        ...(notForClientNode === undefined ? {} : { notForClientNode }),
        ...(moreRequests === undefined ? {} : { moreRequests: moreRequests.because }),
        complaints: complaints(script, ours, clientGo),
      };
    } finally {
      if (!isLong) this.#leave();
    }
  }

  async #tellClientGo(script: Script): Promise<Result['clientGo']> {
    // A handler that fails ends the whole program, and a stopped one serves no other script: these get one of their own.
    const isApart = script.failOn !== undefined || script.ownProcess === true;
    const own = isApart ? await GoHost.start() : undefined;
    try {
      return await tell(
        script,
        (received, address) => startClientGo(own ?? this.#host, received, address),
        script.clientGo?.withinMs,
      );
    } finally {
      await own?.[Symbol.asyncDispose]();
    }
  }

  #leave(): void {
    this.#running -= 1;
    this.#waiting.shift()?.();
  }

  async #turn(): Promise<void> {
    if (this.#running >= AT_A_TIME) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running += 1;
  }
}

async function tellOurs(script: Script): Promise<Result['ours']> {
  if (script.ownProcess !== true) return tell(script, startOurs);
  const host = await spawnOurs();
  return tell(script, (received, address) => startOursApart(host, received, address));
}

/** The result as tools/evidence/evidence.mjs reads it: short, because it is committed. */
function kept({ faults, guarantees, complaints: said, ours, clientGo, ...rest }: Result): object {
  const figures = ({
    lines: _lines,
    errors: _errors,
    asked: _asked,
    lists: _lists,
    watches: _watches,
    notices: _notices,
    ...one
  }: Result['ours']): object => one;
  return {
    ...rest,
    faults: faults.join(' '),
    guarantees: guarantees.join(' '),
    complaints: said.join('; '),
    ours: figures(ours),
    clientGo: figures(clientGo),
  };
}
