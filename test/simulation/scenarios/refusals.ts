import type { WatchOptions } from 'kube-informer/core';
import { KubeError } from 'kube-informer/core';
import type { Dice } from '../world/dice.ts';
import { serverError } from '../world/faults.ts';
import { invalidVersion } from '../world/watch-server.ts';
import type { Scenario } from './scenario.ts';

type Refusal = (options: WatchOptions, dice: Dice) => Error | 'never' | undefined;

/** Retries of watches at the slowest backoff, and a list every half minute, each page of which is a request. */
const REQUESTS_PER_HOUR = 2_500;

/** Case d: watches never work, lists do. */
export const REFUSALS: readonly Scenario[] = [
  refusal('watch-5xx', 'every watch is answered with 5xx', (_, dice) => serverError(dice)),
  refusal('watch-tls', 'every watch fails in the TLS handshake', () => tlsError()),
  refusal('watch-dns', 'the name is not found for any watch', () => dnsError()),
  refusal('watch-invalid', 'no watch can start from any version: 500 without a reason', ({ resourceVersion }) =>
    resourceVersion === undefined ? undefined : invalidVersion(resourceVersion),
  ),
  refusal('watch-no-headers', 'no watch ever gets a response', () => 'never', 25_000, 1),
  held(),
  forgotten(),
  {
    ...refusal('watch-no-answer', 'no watch ever gets a response, and the source cannot tell', () => 'never', 80_000),
    setup: () => ({ watchLifeMs: 1e9, tellsProgress: false }),
  },
];

function refusal(name: string, about: string, refuse: Refusal, toldWithinMs = 5_000, ofAll = 0.7): Scenario {
  return {
    name,
    about,
    setup: () => ({ watchLifeMs: 1e9 }),
    begin: ({ world, dice }) => {
      // In some runs short watches and echoes still work.
      const all = dice.chance(ofAll);
      world.path.add({ refuse: (role, options) => (all || role === 'long' ? refuse(options, dice) : undefined) });
      world.reconnect();
    },
    minutes: 65,
    expects: { toldWithinMs, requestsPerHour: REQUESTS_PER_HOUR },
  };
}

/** As through a relay that passes headers on with the first event: a response that does not begin is doubt, no failure. */
function held(): Scenario {
  const about = 'no long watch ever gets a response, short ones and echoes do';
  const scenario = refusal('watch-held', about, () => 'never', 80_000, 0);
  return {
    ...scenario,
    // Real servers keep at least 75 s of history. With less, what was withheld has expired, and a list follows instead.
    setup: () => ({ watchLifeMs: 1e9, window: 400 }),
    // The second watch that withholds something, or the third silent one, leads to polling.
    expects: { ...scenario.expects, maxLagMs: 25_000, settlesMs: 400_000 },
  };
}

/** What the silent watch withholds has expired by the time it is asked for: only lists tell, and that must be said. */
function forgotten(): Scenario {
  const scenario = held();
  return {
    ...scenario,
    name: 'watch-held-briefly',
    about: 'the same on a server that keeps less than a minute of history',
    setup: () => ({ watchLifeMs: 1e9, window: 12 }),
  };
}

function tlsError(): Error {
  const code = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
  const cause = Object.assign(new Error('unable to verify the first certificate'), { code });
  return new KubeError('TRANSPORT', 'TLS handshake failed', { cause });
}

function dnsError(): Error {
  const cause = Object.assign(new Error('getaddrinfo ENOTFOUND kubernetes'), { code: 'ENOTFOUND' });
  return new KubeError('TRANSPORT', 'the host was not found', { cause });
}
