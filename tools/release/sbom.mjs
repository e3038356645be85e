/**
 * Writes a bill of materials for each package we publish: CycloneDX 1.5, JSON.
 *
 *   node tools/release/sbom.mjs <folder>     writes <folder>/<package>-<version>.cdx.json
 *
 * It is made from the lockfile: what an installation of the package brings with it, and the hash of each tarball. The same
 * lockfile gives the same bytes. (`npm sbom` adds the time, a random number and the name of the folder.)
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const lock = new URL('../../package-lock.json', import.meta.url);

/** One document for each published package, in the order of their names. */
export function billsOfMaterials({ packages } = JSON.parse(readFileSync(lock, 'utf8'))) {
  return Object.keys(packages)
    .filter((path) => path.startsWith('packages/'))
    .toSorted()
    .map((path) => bill(packages, path));
}

/** File name of the bill of materials, like that of the package's tarball. */
export function fileNameOfBill({ metadata: { component } }) {
  return `${component.name.replace('@', '').replace('/', '-')}-${component.version}.cdx.json`;
}

function bill(packages, root) {
  const found = new Map();
  const visit = (path) => {
    if (found.has(path)) return;
    const { dependencies = {}, optionalDependencies = {} } = packages[path];
    const needs = Object.keys({ ...dependencies, ...optionalDependencies }).map((name) => locate(packages, path, name));
    found.set(path, needs);
    for (const need of needs) visit(need);
  };
  visit(root);
  const component = (path) => describe(path, packages[path]);
  const others = [...found.keys()].filter((path) => path !== root).map(component);
  const dependencies = [...found].map(([path, needs]) => ({
    ref: component(path)['bom-ref'],
    dependsOn: needs.map((need) => component(need)['bom-ref']).toSorted(),
  }));
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: component(root) },
    components: others.toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)),
    dependencies: dependencies.toSorted((a, b) => (a.ref < b.ref ? -1 : 1)),
  };
  return { ...document, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(document))}` };
}

/** The path where Node finds `name` from `path`: in the nearest node_modules, going up. */
function locate(packages, path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const at = join(folder, 'node_modules', name);
    const entry = packages[at];
    if (entry !== undefined) return entry.link === true ? entry.resolved : at;
    if (folder === '') throw new Error(`package-lock.json has no ${name} for ${path}: run npm install`);
  }
}

function describe(path, { name = nameOf(path), version, license, integrity }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    'bom-ref': `${name}@${version}`,
    name,
    version,
    purl,
    licenses: [{ license: { id: license } }],
    ...(integrity === undefined ? {} : { hashes: integrity.split(' ').map(hashOf) }),
  };
}

/** The package's name. The lockfile has it only where it differs from the folder. */
function nameOf(path) {
  const modules = path.lastIndexOf('node_modules/');
  return modules === -1 ? basename(path) : path.slice(modules + 'node_modules/'.length);
}

function hashOf(integrity) {
  const [algorithm, digest] = integrity.split(/-(.*)/);
  const alg = { sha1: 'SHA-1', sha256: 'SHA-256', sha384: 'SHA-384', sha512: 'SHA-512' }[algorithm];
  return { alg, content: Buffer.from(digest, 'base64').toString('hex') };
}

/** A name-based UUID (version 8: the rules are our own). */
function uuidOf(text) {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6] & 0x0f) | 0x80;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error('usage: node tools/release/sbom.mjs <folder>');
  mkdirSync(folder, { recursive: true });
  for (const document of billsOfMaterials()) {
    const file = join(folder, fileNameOfBill(document));
    writeFileSync(file, `${JSON.stringify(document, undefined, 2)}\n`);
    console.log(`${file}: ${document.components.length} components`);
  }
}
