import { shard } from './shard.ts';

shard(1);
