/** The mutants of client/; see engine.mjs for their form. */
const C = 'client';
const STREAM = [`${C}/watch-stream.test.ts`, `${C}/watch-stream.hostile.test.ts`];
const SECURITY = [`${C}/transport.security.test.ts`];

export const clientMutants = [
  m('STR-05', 'a cut line passes for an end', 'watch-stream.ts', 'if (isBlank(rest)) return', 'if (true) return', STREAM),
  m('STR-04', 'what is no event is skipped', 'watch-stream.ts', 'throw undecodable(`${this.#lines.place} is not an event', 'if (false) throw undecodable(`${this.#lines.place} is not an event', STREAM),
  m('STR-10', 'a multi-line frame is just bad JSON', 'watch-stream.ts', "reason === 'not valid JSON' && endsInsideValue(bytes)", 'false', STREAM),
  m('STR-06', 'leaving leaves the body open', 'watch-stream.ts', 'void (await this.#chunks.return?.())', 'undefined', [`${C}/watch-stream.test.ts`, `${C}/watch-stream.close.test.ts`]),
  m('F51', 'a line may be endless', 'line-cutter.ts', 'if (length > this.#maxBytes) throw this.#tooLong();', '', STREAM),
  m('F50', 'a line that spans chunks loses its start', 'line-cutter.ts', 'if (length === to - from) return chunk.subarray(from, to);', 'return chunk.subarray(from, to);', STREAM),
  m('STR-09', 'only the first key of a list counts', 'list-envelope.ts', "this.#depth === 1 && byte === COMMA) this.#keyIsNext = true", "false) this.#keyIsNext = true", [`${C}/list-stream.test.ts`]),
  m('F52', 'an envelope may nest for ever', 'list-envelope.ts', "if (this.#depth > this.#maxDepth) this.#place = 'too-deep';", '', [`${C}/list-stream.test.ts`, `${C}/list-stream.hostile.test.ts`]),
  m('S1', 'dots are a name', 'url.ts', "value !== '.' && value !== '..' && ", '', [`${C}/url.test.ts`]),
  m('S2', 'a percent sign is part of a name', 'url.ts', "/^[A-Za-z0-9._~!$&'()*+,;=:@-]+$/", "/^[A-Za-z0-9._~!$&'()*+,;=:@%-]+$/", [`${C}/url.test.ts`]),
  m('S4', 'a raw path may have dot segments', 'url.ts', 'faithful(question === -1 ? path : path.slice(0, question));', '', [`${C}/url.test.ts`]),
  m('S5', 'half a character is sent as another', 'url.ts', 'if (/\\p{Surrogate}/u.test(one)) throw', 'if (false) throw', [`${C}/url.test.ts`]),
  m('S8', 'a header value may be two', 'request-headers.ts', '/[^\\t\\u0020-\\u007e]/.test(value)', 'false', [`${C}/request.test.ts`]),
  m('S9', 'decompressed bytes are not counted', 'node-transport-body.ts', 'this.#bytes += length;', '', [`${C}/transport.body.test.ts`]),
  m('S10', 'a token goes over plain http', 'connect-build.ts', 'if (hasCredentials && !(allowCredentialsOverHttp && isLocal)) {', 'if (false) {', [`${C}/connect.security.test.ts`]),
  m('S12', 'YAML aliases are not counted', 'safe-yaml.ts', "if (first === '*' && (aliases += 1) > YAML_LIMITS.aliases)", 'if (false)', [`${C}/safe-yaml.test.ts`]),
  m('S15', 'a denied plugin runs', 'connect-build.ts', "if (execPolicy === 'deny')", 'if (false)', [`${C}/connect.security.test.ts`]),
  m('S16', 'a plugin may print for ever', 'exec-plugin-run.ts', 'if (length <= MOST_STDOUT) return;', 'return;', [`${C}/exec-plugin.security.test.ts`]),
  m('S19', 'a name may lead to a private address', 'node-transport-dial.ts', '.filter(({ address }) => accepts(address))', '', SECURITY),
  m('S19', 'a private address is connected to', 'node-transport-dial.ts', 'isIP(host) !== 0 && !accepts(host)', 'false', SECURITY),
  m('S20', 'a variable of the process turns checks off', 'node-transport-dial.ts', 'rejectUnauthorized: !insecure,', "rejectUnauthorized: !insecure && process.env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0',", SECURITY),
  m('S21', 'the name in the certificate does not matter', 'node-transport-dial.ts', 'checkServerIdentity(verifyName, certificate)', 'undefined', SECURITY),
  m('S22', 'half a token is used', 'token-source.ts', 'if (isCut || !isToken(token))', 'if (!isToken(token))', [`${C}/token-source.test.ts`]),
  m('F10', 'a new certificate waits for the next handshake', 'node-transport-pool.ts', '      this.#adopt();\n      const lane', '      const lane', SECURITY),
  m('F40', 'a 401 is replayed again and again', 'request.ts', 'call.isReplayed = true;', '', [`${C}/request.test.ts`, `${C}/request.retry.test.ts`]),
  m('F41', 'writes are repeated after a 500', 'retry-table.ts', 'return isRead && (isBusy || failures < MOST_SERVER_FAILURES) ? backoff() : undefined;', 'return isBusy || failures < MOST_SERVER_FAILURES ? backoff() : undefined;', [`${C}/request.retry.test.ts`]),
  m('G17', 'a silent body is waited for', 'silence.ts', 'this.#onSilent();', '', [`${C}/silence.test.ts`]),
  m('F12', 'a slow reader counts as a silent server', 'silence.ts', 'this.#since = undefined;', '', [`${C}/silence.test.ts`]),
]; // prettier-ignore

function m(rule, what, file, find, replace, tests) {
  return { rule, what, file: `${C}/${file}`, find, replace, tests };
}
