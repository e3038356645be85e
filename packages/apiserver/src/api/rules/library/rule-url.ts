import { globalFunction, type Library, memberFunction, type Overload } from '../../../cel/check/environment.ts';
import { COST_OF_COPY, costArgument, traversalCostRange } from '../../../cel/cost/costs.ts';
import { BOOL, listType, mapType, opaqueType, STRING, type Type } from '../../../cel/types/type.ts';
import { ArrayList, fail, KeyedMap, OpaqueValue, type Value } from '../../../cel/values/cel-value.ts';
import { goQuoted } from '../../../core/go/go-quoted.ts';
import { isRequestUri } from '../../schema/formats/uri.ts';

const URL_TYPE: Type = opaqueType('kubernetes.URL');

/** The parts of a URL as Go splits it; the fragment is dropped. */
const PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/s;

class UrlValue extends OpaqueValue {
  readonly type = URL_TYPE;
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(text: string) {
    super();
    const [, scheme = '', authority = '', path = '', query = ''] = PARTS.exec(text) ?? [];
    this.text = text;
    this.scheme = scheme.toLowerCase();
    this.host = authority.slice(authority.lastIndexOf('@') + 1);
    this.path = path;
    this.query = query;
  }

  equals(other: Value): boolean {
    return other instanceof UrlValue && other.text === this.text;
  }
}

function parsedRuleUrl(text: string): Value {
  if (isRequestUri(text)) return new UrlValue(text);
  const why = text === '' ? 'empty url' : 'invalid URI for request';
  return fail(`URL parse error during conversion from string: parse ${goQuoted(text)}: ${why}`);
}

const ruleUrl = (value: Value | undefined): UrlValue => value as UrlValue;

/** The host without port and without the brackets of IPv6. */
const ruleUrlHostname = (host: string): string => host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');

/** Decodes a part of a query, where a plus is a space; undefined if it is malformed. */
function decodedRuleUrlPart(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** The result of Go's `EscapedPath` for a path with characters that need an escape. */
const escapedRuleUrlPath = (path: string): string =>
  encodeURI(path).replaceAll('%25', '%').replaceAll('%5B', '[').replaceAll('%5D', ']');

function ruleUrlQueryMap(query: string): Value {
  const found = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const [name, ...rest] = pair.split('=');
    const [key, value] = [decodedRuleUrlPart(name ?? ''), decodedRuleUrlPart(rest.join('='))];
    if (key !== undefined && value !== undefined) found.set(key, [...(found.get(key) ?? []), value]);
  }
  const map = new KeyedMap();
  for (const [key, values] of found) map.add(key, new ArrayList(values));
  return map;
}

const ruleUrlPart = (id: string, read: (value: UrlValue) => string): readonly Overload[] => [
  memberFunction(id, [URL_TYPE], STRING, ([a]) => read(ruleUrl(a))),
];

/** Functions of URLs: `url('https://a/b').getHost()` */
export const urls: Library = {
  types: [URL_TYPE],
  equality: new Map([
    [
      URL_TYPE.name,
      (args) => {
        const { size, isSized } = costArgument(args, 1);
        return { cost: traversalCostRange({ min: 1n, max: isSized ? size.max : 1n }) };
      },
    ],
  ]),
  functions: {
    url: [globalFunction('string_to_url', [STRING], URL_TYPE, ([a]) => parsedRuleUrl(a as string), COST_OF_COPY)],
    isURL: [globalFunction('is_url_string', [STRING], BOOL, ([a]) => isRequestUri(a as string))],
    getScheme: ruleUrlPart('url_get_scheme', ({ scheme }) => scheme),
    getHost: ruleUrlPart('url_get_host', ({ host }) => host),
    getHostname: ruleUrlPart('url_get_hostname', ({ host }) => ruleUrlHostname(host)),
    getPort: ruleUrlPart('url_get_port', ({ host }) => /:(\d*)$/.exec(host)?.[1] ?? ''),
    getEscapedPath: ruleUrlPart('url_get_escaped_path', ({ path }) => escapedRuleUrlPath(path)),
    getQuery: [
      memberFunction('url_get_query', [URL_TYPE], mapType(STRING, listType(STRING)), ([a]) =>
        ruleUrlQueryMap(ruleUrl(a).query),
      ),
    ],
  },
};
