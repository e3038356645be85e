import { hasCode, isForbidden, isUnauthorized } from 'kube-informer/core';
import type { Env } from 'kube-informer/core';
import { instant, textAt, textsAt } from '@kube-informer/inspector/internal';
import type { Session } from '../session/session.ts';
import { describeFailure } from '../output/failure.ts';
import { counted } from '../text/numbers.ts';
import { fail, type Finding, note, ok, warn } from './finding.ts';

/** Maximum clock difference without a warning. Beyond it tokens and leases may be rejected. */
const MAX_SKEW_MS = 5_000;
const TIMEOUT_MS = 10_000;

/** Checks the API: does it respond, as whom are we authenticated, which groups does it serve, is its clock right. */
export async function* apiFindings(opened: Session, env: Env, signal: AbortSignal): AsyncGenerator<Finding> {
  const { client } = opened;
  const once = { signal, attempts: 'once', timeoutMs: TIMEOUT_MS } as const;
  try {
    const startedAt = env.now();
    const version = await client.request({ path: '/version', ...once });
    const ms = Math.ceil(env.now() - startedAt);
    yield ok('server', `Kubernetes ${textAt(version, 'gitVersion', 'of unknown version')}, first answer in ${ms} ms`);
  } catch (error) {
    // An unauthenticated user may be refused even the version. The login check below reports that.
    if (!isUnauthorized(error) && !isForbidden(error)) return yield unanswered('server', error);
  }
  yield* skewFindings(opened);
  const who = await whoAmI(opened, once);
  yield who;
  if (who.level === 'fail') return;
  try {
    const resources = await client.discovery.resources({ signal });
    const groups = new Set(resources.map(({ group }) => group));
    yield ok('API groups', `${counted(groups.size, 'group')} with ${counted(resources.length, 'resource')}`);
  } catch (error) {
    yield unanswered('API groups', error);
  }
}

async function whoAmI({ client }: Session, once: object): Promise<Finding> {
  try {
    await client.request({ path: '/api', ...once });
  } catch (error) {
    if (isUnauthorized(error))
      return fail(
        'login',
        'the server does not know these credentials',
        'log in again: a token or certificate has expired or belongs to another cluster',
      );
    if (hasCode(error, 'CREDENTIALS'))
      return fail('login', describeFailure(error).message, 'look at the user of the kubeconfig');
    if (!isForbidden(error)) return unanswered('login', error);
  }
  try {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const review = await client.request({ method: 'POST', path, body, ...once });
    const groups = textsAt(review, 'status.userInfo.groups');
    const name = textAt(review, 'status.userInfo.username', 'somebody without a name');
    if (name === 'system:anonymous')
      return fail(
        'login',
        'the server lets you in as nobody',
        'the kubeconfig has no credentials: add a user to its context',
      );
    return ok('login', `you are ${name}${groups.length === 0 ? '' : `, in ${groups.slice(0, 5).join(', ')}`}`);
  } catch {
    return ok('login', 'the credentials are accepted (this server does not say whose they are)');
  }
}

/** Compares with the Date header of the last response, which has a resolution of one second. */
function* skewFindings({ traffic }: Session): Generator<Finding> {
  const { lastHeaders, lastAnswerAt } = traffic();
  const theirs = instant(lastHeaders.get('date'));
  if (theirs === undefined || lastAnswerAt === undefined)
    return yield note('clock', 'the server does not say what time it is');
  const skew = theirs - lastAnswerAt;
  const seconds = Math.round(Math.abs(skew) / 1_000);
  if (Math.abs(skew) <= MAX_SKEW_MS) yield ok('clock', 'yours and that of the server agree');
  else
    yield warn(
      'clock',
      `yours is ${seconds} s ${skew > 0 ? 'behind' : 'ahead of'} the server's`,
      'switch on time synchronisation: tokens and certificates depend on it',
    );
}

function unanswered(topic: string, error: unknown): Finding {
  const { message, advice } = describeFailure(error);
  return fail(topic, message, advice ?? 'look at the address and at the server');
}
