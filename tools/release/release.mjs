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
import { join } from 'node:path';
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
  execFileSync('npx', ['changeset', 'status', '--verbose'], { stdio: 'inherit' });

  for (const { name, version, filename, files, size, unpackedSize } of packAll(folder)) {
    const bytes = readFileSync(join(folder, filename));
    console.log(`\n${name}@${version}: ${files.length} files, ${size} bytes packed, ${unpackedSize} unpacked`);
    console.log(`sha256 ${createHash('sha256').update(bytes).digest('hex')}`);
    execFileSync('npm', ['publish', join(folder, filename), '--dry-run', '--access', 'public', '--ignore-scripts'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  for (const bill of billsOfMaterials()) {
    writeFileSync(join(folder, fileNameOfBill(bill)), JSON.stringify(bill));
    console.log(`${fileNameOfBill(bill)}: ${bill.components.length} components`);
  }
  console.log('\nNothing was published. Provenance: release.yml publishes with --provenance, by trusted publishing.');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
