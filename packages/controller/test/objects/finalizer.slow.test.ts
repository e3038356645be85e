import { test } from 'vitest';
import { raceFinalizers } from './races.ts';

test('CTR-36, B01: in 1,000 races with other writers nothing is lost, doubled, or taken from a successor', () =>
  raceFinalizers(1_000));
