import { shard } from './shard.ts';

shard(4);
