#!/usr/bin/env node
// oxlint-disable no-restricted-globals -- where the process begins and ends
import { run } from './run.ts';
import { systemHost } from './host/system-host.ts';

const host = systemHost();
const code = await run(process.argv.slice(2), host);
await host.stdout.drained();
process.exit(code);
