/**
 * Everything that happens before the packages are published, without publishing them.
 *
 *   npm run release -- --dry-run      versions, tarballs, what is in them, bills of materials, what npm would do
 *
 * Publishing itself is done by .github/workflows/release.yml, for a tag, because only there npm can attest where the
 * packages come from (provenance). So without --dry-run this program refuses.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { packAll } from './pack.mjs';
import { billsOfMaterials, fileNameOfBill } from './sbom.mjs';

if (!process.argv.includes('--dry-run')) {
  console.error(
    'Packages are published by .github/workflows/release.yml: push a tag vX.Y.Z. Here: npm run release -- --dry-run',
  );
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'release-'));
try {
  console.log('Versions that the changesets lead to:');
  for (const { name, oldVersion, newVersion, changesets } of nextVersions(folder)) {
    console.log(`  ${name} ${oldVersion} → ${newVersion}, ${changesets.length} changesets`);
    if (oldVersion.startsWith('0.') && !newVersion.startsWith('0.'))
      throw new Error(`${name} would leave 0.x: is that meant? Look for "major" in .changeset, and for pinned peers`);
  }

  const homeless = [];
  for (const { name, version, filename, files, size, unpackedSize } of packAll(folder)) {
    const bytes = readFileSync(join(folder, filename));
    console.log(`\n${name}@${version}: ${files.length} files, ${size} bytes packed, ${unpackedSize} unpacked`);
    for (const [part, { count, bytes: sum }] of partsOf(files)) console.log(`  ${part}: ${count} files, ${sum} bytes`);
    console.log(`  sha256 ${createHash('sha256').update(bytes).digest('hex')}`);
    if (!hasRepository(join(folder, filename))) homeless.push(name);
    // Prints every file; what it says is shown when it fails.
    const publish = ['publish', join(folder, filename), '--dry-run', '--access', 'public', '--ignore-scripts'];
    execFileSync('npm', publish, { stdio: 'pipe' });
  }
  for (const bill of billsOfMaterials()) {
    writeFileSync(join(folder, fileNameOfBill(bill)), JSON.stringify(bill));
    console.log(`${fileNameOfBill(bill)}: ${bill.components.length} components`);
  }
  if (homeless.length > 0)
    console.log(
      `\nNot ready: package.json of ${homeless.join(', ')} has no "repository". Without it npm refuses --provenance, and the links of a README do not work on npm.`,
    );
  console.log('\nNothing was published. Provenance: release.yml publishes with --provenance, by trusted publishing.');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The versions that `changeset version` would set. */
function nextVersions(into) {
  const file = join(into, 'versions.json');
  execFileSync('npx', ['changeset', 'status', '--output', relative(process.cwd(), file)], { stdio: 'pipe' });
  return JSON.parse(readFileSync(file, 'utf8')).releases;
}

/** The files of a tarball, by their first folder. */
function partsOf(files) {
  const parts = new Map();
  for (const { path, size } of files) {
    const part = path.includes('/') ? `${path.split('/')[0]}/` : path;
    const { count = 0, bytes = 0 } = parts.get(part) ?? {};
    parts.set(part, { count: count + 1, bytes: bytes + size });
  }
  return parts;
}

/** Whether the manifest in a tarball names its repository, which npm compares with the attestation. */
function hasRepository(tarball) {
  const text = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' });
  return JSON.parse(text).repository !== undefined;
}
