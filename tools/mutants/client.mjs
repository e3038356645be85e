/** The mutants of client/; see engine.mjs for their form. */
const STREAM = ['client/codec/watch-stream.test.ts', 'client/codec/watch-stream.hostile.test.ts'];
const PROTOBUF = ['client/codec/protobuf/protobuf.hostile.test.ts'];
const PACKED = ['store/packed/packed-objects.hostile.test.ts'];
const SECURITY = ['client/transport/transport.security.test.ts'];

export const clientMutants = [
  m('STR-05', 'a cut line passes for an end', 'client/codec/json-frames.ts', 'if (isBlankBytes(rest)) return', 'if (true) return', STREAM),
  m('STR-04', 'what is no event is skipped', 'client/codec/json-frames.ts', 'throw undecodableJsonFrame(`${this.#lines.place} is not an event', 'if (false) throw undecodableJsonFrame(`${this.#lines.place} is not an event', STREAM),
  m('STR-10', 'a multi-line frame is just bad JSON', 'client/codec/json-frames.ts', "reason === 'not valid JSON' && endsInsideJsonFrame(bytes)", 'false', STREAM),
  m('STR-06', 'leaving leaves the body open', 'client/codec/watch-stream.ts', 'return this.#chunks.close();', 'return undefined;', ['client/codec/watch-stream.test.ts', 'client/codec/watch-stream.close.test.ts']),
  m('F51', 'a line may be endless', 'client/codec/line-cutter.ts', 'if (length > this.#maxLength) throw this.#tooLong();', '', STREAM),
  m('F50', 'a line that spans chunks loses its start', 'client/codec/line-cutter.ts', 'if (length === to - from) return chunk.subarray(from, Math.min(to, from + this.#maxBytes));', 'return chunk.subarray(from, to);', STREAM),
  m('STR-09', 'only the first key of a list counts', 'client/codec/list-envelope.ts', "this.#depth === 1 && byte === COMMA) this.#keyIsNext = true", "false) this.#keyIsNext = true", ['client/codec/list-stream.test.ts']),
  m('F52', 'an envelope may nest for ever', 'client/codec/list-envelope.ts', "if (this.#depth > this.#maxDepth) this.#place = 'too-deep';", '', ['client/codec/list-stream.test.ts', 'client/codec/list-stream.hostile.test.ts']),
  m('S1', 'dots are a name', 'client/request/url.ts', "value !== '.' && value !== '..' && ", '', ['client/request/url.test.ts']),
  m('S2', 'a percent sign is part of a name', 'client/request/url.ts', "/^[A-Za-z0-9._~!$&'()*+,;=:@-]+$/", "/^[A-Za-z0-9._~!$&'()*+,;=:@%-]+$/", ['client/request/url.test.ts']),
  m('S4', 'a raw path may have dot segments', 'client/request/url.ts', 'requireUnambiguousUrlPath(question === -1 ? path : path.slice(0, question));', '', ['client/request/url.test.ts']),
  m('S5', 'half a character is sent as another', 'client/request/url.ts', 'if (/\\p{Surrogate}/u.test(one)) throw', 'if (false) throw', ['client/request/url.test.ts']),
  m('S8', 'a header value may be two', 'client/request/request-headers.ts', '/[^\\t\\u0020-\\u007e]/.test(value)', 'false', ['client/request/request.test.ts']),
  m('S9', 'decompressed bytes are not counted', 'client/transport/node/body.ts', 'this.#bytes += length;', '', ['client/transport/transport.body.test.ts']),
  m('S10', 'a token goes over plain http', 'client/connect/build-connection.ts', 'if (hasCredentials && !(allowCredentialsOverHttp && isLocal)) throw', 'if (false) throw', ['client/connect/resolve-connection.security.test.ts']),
  m('S80', 'a cause keeps what a library attached', 'core/errors.ts', 'CAUSED_BY_USER.has(code) ? cause : safeErrorCause(cause)', 'cause', ['client/secrets/one-door.test.ts']),
  m('S82', 'credentials go over plain http', 'client/request/request.ts', "if (headers['authorization'] !== undefined) requireSecureConnection(this.#options.connection);", '', ['client/secrets/one-door.test.ts']),
  m('S83', 'a closed client is remembered', 'client/client.ts', 'this.#requester.forgetSecrets();', '', ['client/secrets/one-door.test.ts']),
  m('S86', 'a custom resource takes a built-in name', 'client/discovery/resource-match.ts', 'if (found !== undefined) return found;\n  // The server', '// The server', ['client/discovery/discovery.test.ts']),
  m('S90', 'items are free', 'client/codec/list-charge.ts', 'this.#surcharge += Math.max(0, MIN_ITEM_CHARGE - itemBytes);', '', ['client/codec/list-stream.hostile.test.ts']),
  m('S101', 'a list is counted before each item', 'client/codec/protobuf/decode-message.ts', 'isBegun ? 0 : countFieldsToDecodeMessage', 'countFieldsToDecodeMessage', PROTOBUF),
  m('S102', 'times and JSON are checked by readers', 'client/codec/protobuf/find-unknown-field.ts', 'if (nested.isChecked) checkSpecialMessage', 'if (maxDepth < 0) checkSpecialMessage', PROTOBUF),
  m('PKD-14', 'a packed state of the same version is taken for the same', 'store/packed/packed-objects.ts', '!isSameType || !this.#hasBytes(held, lent)', '!isSameType', ['store/packed/packed-objects.test.ts']),
  m('PKD-23', 'a relist drops the packed states that the cache holds', 'informer/apply/feed.ts', 'if (held === object) return object;', '', ['informer/holding/packed.test.ts']),
  m('S103', 'names with line breaks share a shape', 'store/packed/packed-objects.ts', 'JSON.stringify(names)', "names.join('\\n')", PACKED),
  m('S103', 'shapes are kept for ever', 'store/packed/packed-objects.ts', 'this.#shapes.size > MAX_SHAPES &&', 'this.#shapes.size < 0 &&', PACKED),
  m('S109', 'times and JSON are checked by readers', 'client/codec/protobuf/find-unknown-field.ts', 'if (nested.isChecked) checkSpecialMessage', 'if (maxDepth < 0) checkSpecialMessage', ['client/codec/protobuf/protobuf.fuzz.slow.test.ts']),
  m('D7', 'the plain reader of kubeconfigs takes the last of two equal keys', 'client/config/plain-yaml.ts', 'entries.has(key)', 'false', ['client/config/plain-yaml.test.ts']),
  m('D7', 'the plain reader of kubeconfigs takes true in other letters for a text', 'client/config/plain-yaml-scalar.ts', 'LIKE_CONSTANT.test(plain) || ', '', ['client/config/plain-yaml.test.ts']),
  m('S12', 'YAML aliases are not counted', 'client/config/safe-yaml.ts', "if (first === '*' && (aliases += 1) > YAML_LIMITS.aliases)", 'if (false)', ['client/config/safe-yaml.test.ts']),
  m('S15', 'a denied plugin runs', 'client/connect/build-connection.ts', "if (execPolicy === 'deny')", 'if (false)', ['client/connect/resolve-connection.security.test.ts']),
  m('S16', 'a plugin may print for ever', 'client/auth/node/run-program.ts', 'if (length <= MAX_STDOUT) return;', 'return;', ['client/auth/node/exec-plugin.security.slow.test.ts']),
  m('S19', 'a name may lead to a private address', 'client/transport/node/dial.ts', '.filter(({ address }) => accepts(address))', '', SECURITY),
  m('S19', 'a private address is connected to', 'client/transport/node/dial.ts', 'isIP(host) !== 0 && !accepts(host)', 'false', SECURITY),
  m('S20', 'a variable of the process turns checks off', 'client/transport/node/dial.ts', 'rejectUnauthorized: !insecure,', "rejectUnauthorized: !insecure && process.env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0',", SECURITY),
  m('S21', 'the name in the certificate does not matter', 'client/transport/node/dial.ts', 'checkServerIdentity(verifyName, certificate)', 'undefined', SECURITY),
  m('S22', 'half a token is used', 'client/auth/token-file.ts', 'if (isTruncated || !isAuthorizationHeaderToken(token))', 'if (!isAuthorizationHeaderToken(token))', ['client/auth/token-file.test.ts']),
  m('F10', 'a new certificate waits for the next handshake', 'client/transport/node/pool.ts', '      this.#adoptTls();\n      const connection', '      const connection', SECURITY),
  m('F40', 'a 401 is replayed again and again', 'client/request/request.ts', 'call.isReplayed = true;', '', ['client/request/request.test.ts', 'client/request/request.retry.test.ts']),
  m('F41', 'writes are repeated after a 503 with Retry-After', 'client/request/retry-table.ts', 'if (!isRead && !isBusy) return undefined;', '', ['client/request/request.retry.test.ts']),
  m('F41', 'writes are repeated after a 429 without Retry-After', 'client/request/retry-table.ts', 'return isRead && (isBusy || failures < MAX_SERVER_FAILURES) ? backoff() : undefined;', 'return isBusy || failures < MAX_SERVER_FAILURES ? backoff() : undefined;', ['client/request/request.retry.test.ts']),
  m('G17', 'a silent body is waited for', 'client/transport/silence.ts', 'this.#onSilent();', '', ['client/transport/silence.test.ts']),
  m('F12', 'a slow reader counts as a silent server', 'client/transport/silence.ts', 'this.#since = undefined;', '', ['client/transport/silence.test.ts']),
  m('F52', 'an unreadable item ends its list', 'client/codec/list-reader.ts', "if (this.#limits.unreadable === 'throw') throw error;", 'throw error;', ['client/codec/unreadable.test.ts']),
  m('F52', 'an event without a name passes', 'client/codec/json-frames.ts', '|| !name || !resourceVersion', '', ['client/codec/unreadable.test.ts']),
  m('F52', 'the depth of an item before counts', 'client/codec/json-scan.ts', 'let deepest = depth === 0 ? 0 : this.#deepest;', 'let deepest = this.#deepest;', ['client/codec/json-scan.test.ts', 'client/codec/unreadable.test.ts']),
  m('F11', 'a list may trickle', 'client/request/minimum-pace.ts', 'if (this.#bytes < MIN_BYTES_PER_WINDOW) {', 'if (false) {', ['client/request/minimum-pace.test.ts']),
  m('F11', 'a good minute excuses the next', 'client/request/minimum-pace.ts', '    this.#waitedMs = 0;\n    this.#bytes = 0;', '    this.#waitedMs = 0;', ['client/request/minimum-pace.test.ts']),
]; // prettier-ignore

function m(rule, what, file, find, replace, tests) {
  return { rule, what, file, find, replace, tests };
}
