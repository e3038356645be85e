import type { UserTable } from './user-table.ts';

/**
 * Private keys that sign tokens of service accounts, PEM, by the table of their users. Each is created when
 * it is first needed.
 *
 * They are not in the table itself, which is part of the public interface and may be printed.
 */
export const signingKeys: WeakMap<UserTable, string> = new WeakMap();
