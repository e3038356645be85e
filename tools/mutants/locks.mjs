/** The mutants of the security rules of all packages, S70 and S109 (fuzzers) and from S122 on; see engine.mjs for their form. */
const FUZZ = ['http/fuzz.slow.test.ts'];
const DAMAGE = ['storage/durable/log-damage.test.ts'];
const PROTOBUF_FUZZ = ['client/codec/protobuf/protobuf.fuzz.slow.test.ts'];
const OIDC = ['client/auth/oidc.hostile.test.ts'];
const ROWS = ['view/rows.test.ts', 'mask/indexes.test.ts'];

export const lockMutants = [
  m('apiserver', 'S70', 'the end of a request that was cut off throws', 'http/http-handler.ts', "response.once('close', guardedListener(env, end));", "response.once('close', () => { if (!response.writableFinished) throw new Error('planted'); end(); });", FUZZ),
  m('kube-informer', 'S109', 'a length beyond the end is believed', 'client/codec/protobuf/find-unknown-field.ts', 'if (!(next <= end)) {', 'if (next === Number.POSITIVE_INFINITY) {', PROTOBUF_FUZZ),
  m('kube-informer', 'S109', 'nested messages are not walked', 'client/codec/protobuf/find-unknown-field.ts', 'if (unknown !== undefined) return unknown;', '', PROTOBUF_FUZZ),
  m('inspector', 'S122', 'rows do not yield', 'summaries/work-slices.ts', 'return this.#steps >= SLICE_STEPS || this.#env.now() - this.#startedAt >= SLICE_MS;', 'return this.#steps >= SLICE_STEPS;', ROWS),
  m('inspector', 'S122', 'a filter reads all of an object', 'mask/index-mask.ts', 'const MAX_LEAVES = 2_000;', 'const MAX_LEAVES = 2_000_000;', ROWS),
  m('apiserver', 'S123', 'a damaged identity is believed', 'storage/durable/data-directory.ts', 'if (isIdentity(value)) return value;', 'return value;', ['server/access.test.ts']),
  m('apiserver', 'S124', 'every conflict is named', 'api/apply/apply-conflict-status.ts', 'const MAX_CONFLICTS = 1_000;', 'const MAX_CONFLICTS = 1_000_000;', ['server/access.test.ts']),
  m('controller', 'S125', 'a condition quotes credentials', 'objects/condition.ts', 'safeText(message, MAX_MESSAGE)', 'message', ['objects/hostile.test.ts']),
  m('cli', 'S126', 'a refused path is an error of its own kind', 'columns/column-json-path.ts', "throw new KubeError('INVALID_OPTION', `JSONPath: expected a field or [", "throw new Error(`JSONPath: expected a field or [", ['columns/columns.test.ts']),
  m('apiserver', 'S131', 'a frame of SPDY of any length is waited for', 'http/spdy/spdy-frames.ts', 'if (size > MAX_FRAME_BYTES) throw', 'if (size > 2 ** 24) throw', ['http/spdy.test.ts']),
  m('apiserver', 'S131', 'headers of SPDY are decompressed without a limit', 'http/spdy/spdy-header-block.ts', 'if (this.#length > MAX_HEADER_BYTES)', 'if (this.#length > 2 ** 30)', ['http/spdy.test.ts']),
  m('apiserver', 'S131', 'streams of SPDY are opened without a limit', 'http/spdy/spdy-connection.ts', 'if (this.#streams.size >= MAX_OPEN_STREAMS)', 'if (this.#streams.size >= 2 ** 30)', ['http/spdy.test.ts']),
  m('apiserver', 'S127', 'damage in the middle is dropped', 'storage/durable/log-damage.ts', 'return isNewest && intact === 0 && isUnfinishedLogDamage(tail)', 'return isNewest && isUnfinishedLogDamage(tail)', DAMAGE),
  m('apiserver', 'S127', 'a wrong last record is dropped', 'storage/durable/log-damage.ts', "return tail.at(-1) === 0 || tail.includes(Buffer.alloc(BLOCK_BYTES));", 'return true;', DAMAGE),
  m('apiserver', 'S127', 'an older log may be cut off', 'storage/durable/log-damage.ts', 'return isNewest && intact === 0', 'return intact === 0', DAMAGE),
  m('apiserver', 'S127', 'a repair removes later logs', 'storage/durable/log-damage.ts', 'for (const each of [path, ...later]) names', 'for (const each of [path]) names', DAMAGE),
  m('apiserver', 'S127', 'a missing file is not missed', 'storage/durable/recover.ts', 'generation !== oldest + index', 'generation > oldest + index + 1', ['storage/durable/log.test.ts']),
  m('kube-informer', 'S128', 'an address is read as a parser likes', 'client/auth/oidc.ts', 'if (isAsWritten && url.username', 'if (url !== undefined && url.username', OIDC),
  m('kube-informer', 'S128', 'each request is a renewal', 'client/auth/oidc.ts', 'failureAgeMs: FAILURE_AGE_MS, ', '', OIDC),
  m('kube-informer', 'S128', 'an endpoint is for ever', 'client/auth/oidc.ts', '      if (provider === found) provider = undefined;\n      throw error;', '      throw error;', OIDC),
  m('kube-informer', 'S129', 'the rest of a long secret is shown', 'core/redact.ts', 'if (spelling.length < MAX_SECRET_LENGTH) return', 'if (true) return', ['client/secrets/redact.test.ts']),
]; // prettier-ignore

function m(home, rule, what, file, find, replace, tests) {
  return { home, rule, what, file, find, replace, tests };
}
