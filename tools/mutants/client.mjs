/** The mutants of client/; see engine.mjs for their form. */
const STREAM = ['client/codec/watch-stream.test.ts', 'client/codec/watch-stream.hostile.test.ts'];
const SECURITY = ['client/transport/transport.security.test.ts'];

export const clientMutants = [
  m('STR-05', 'a cut line passes for an end', 'client/codec/watch-stream.ts', 'if (isBlankBytes(rest)) return', 'if (true) return', STREAM),
  m('STR-04', 'what is no event is skipped', 'client/codec/watch-stream.ts', 'throw undecodableWatchStream(`${this.#lines.place} is not an event', 'if (false) throw undecodableWatchStream(`${this.#lines.place} is not an event', STREAM),
  m('STR-10', 'a multi-line frame is just bad JSON', 'client/codec/watch-stream.ts', "reason === 'not valid JSON' && watchStreamEndsInside(bytes)", 'false', STREAM),
  m('STR-06', 'leaving leaves the body open', 'client/codec/watch-stream.ts', 'return this.#chunks.close();', 'return undefined;', ['client/codec/watch-stream.test.ts', 'client/codec/watch-stream.close.test.ts']),
  m('F51', 'a line may be endless', 'client/codec/line-cutter.ts', 'if (length > this.#maxBytes) throw this.#tooLong();', '', STREAM),
  m('F50', 'a line that spans chunks loses its start', 'client/codec/line-cutter.ts', 'if (length === to - from) return chunk.subarray(from, to);', 'return chunk.subarray(from, to);', STREAM),
  m('STR-09', 'only the first key of a list counts', 'client/codec/list-envelope.ts', "this.#depth === 1 && byte === COMMA) this.#keyIsNext = true", "false) this.#keyIsNext = true", ['client/codec/list-stream.test.ts']),
  m('F52', 'an envelope may nest for ever', 'client/codec/list-envelope.ts', "if (this.#depth > this.#maxDepth) this.#place = 'too-deep';", '', ['client/codec/list-stream.test.ts', 'client/codec/list-stream.hostile.test.ts']),
  m('S1', 'dots are a name', 'client/request/url.ts', "value !== '.' && value !== '..' && ", '', ['client/request/url.test.ts']),
  m('S2', 'a percent sign is part of a name', 'client/request/url.ts', "/^[A-Za-z0-9._~!$&'()*+,;=:@-]+$/", "/^[A-Za-z0-9._~!$&'()*+,;=:@%-]+$/", ['client/request/url.test.ts']),
  m('S4', 'a raw path may have dot segments', 'client/request/url.ts', 'requireUnambiguousUrlPath(question === -1 ? path : path.slice(0, question));', '', ['client/request/url.test.ts']),
  m('S5', 'half a character is sent as another', 'client/request/url.ts', 'if (/\\p{Surrogate}/u.test(one)) throw', 'if (false) throw', ['client/request/url.test.ts']),
  m('S8', 'a header value may be two', 'client/request/request-headers.ts', '/[^\\t\\u0020-\\u007e]/.test(value)', 'false', ['client/request/request.test.ts']),
  m('S9', 'decompressed bytes are not counted', 'client/transport/node/body.ts', 'this.#bytes += length;', '', ['client/transport/transport.body.test.ts']),
  m('S10', 'a token goes over plain http', 'client/connect/build-connection.ts', 'if (hasCredentials && !(allowCredentialsOverHttp && isLocal)) {', 'if (false) {', ['client/connect/resolve-connection.security.test.ts']),
  m('S12', 'YAML aliases are not counted', 'client/config/safe-yaml.ts', "if (first === '*' && (aliases += 1) > YAML_LIMITS.aliases)", 'if (false)', ['client/config/safe-yaml.test.ts']),
  m('S15', 'a denied plugin runs', 'client/connect/build-connection.ts', "if (execPolicy === 'deny')", 'if (false)', ['client/connect/resolve-connection.security.test.ts']),
  m('S16', 'a plugin may print for ever', 'client/auth/node/run-program.ts', 'if (length <= MAX_STDOUT) return;', 'return;', ['client/auth/node/exec-plugin.security.test.ts']),
  m('S19', 'a name may lead to a private address', 'client/transport/node/dial.ts', '.filter(({ address }) => accepts(address))', '', SECURITY),
  m('S19', 'a private address is connected to', 'client/transport/node/dial.ts', 'isIP(host) !== 0 && !accepts(host)', 'false', SECURITY),
  m('S20', 'a variable of the process turns checks off', 'client/transport/node/dial.ts', 'rejectUnauthorized: !insecure,', "rejectUnauthorized: !insecure && process.env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0',", SECURITY),
  m('S21', 'the name in the certificate does not matter', 'client/transport/node/dial.ts', 'checkServerIdentity(verifyName, certificate)', 'undefined', SECURITY),
  m('S22', 'half a token is used', 'client/auth/token-file.ts', 'if (isTruncated || !isHeaderToken(token))', 'if (!isHeaderToken(token))', ['client/auth/token-file.test.ts']),
  m('F10', 'a new certificate waits for the next handshake', 'client/transport/node/pool.ts', '      this.#adoptTls();\n      const connection', '      const connection', SECURITY),
  m('F40', 'a 401 is replayed again and again', 'client/request/request.ts', 'call.isReplayed = true;', '', ['client/request/request.test.ts', 'client/request/request.retry.test.ts']),
  m('F41', 'writes are repeated after a 500', 'client/request/retry-table.ts', 'return isRead && (isBusy || failures < MAX_SERVER_FAILURES) ? backoff() : undefined;', 'return isBusy || failures < MAX_SERVER_FAILURES ? backoff() : undefined;', ['client/request/request.retry.test.ts']),
  m('G17', 'a silent body is waited for', 'client/transport/silence.ts', 'this.#onSilent();', '', ['client/transport/silence.test.ts']),
  m('F12', 'a slow reader counts as a silent server', 'client/transport/silence.ts', 'this.#since = undefined;', '', ['client/transport/silence.test.ts']),
]; // prettier-ignore

function m(rule, what, file, find, replace, tests) {
  return { rule, what, file, find, replace, tests };
}
