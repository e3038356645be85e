import { quickShard } from './shard.ts';

quickShard();
