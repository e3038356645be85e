import type { UserTable } from './user-table.ts';

/**
 * Private keys that sign tokens of service accounts, PEM, by the table of their users. Each is made when it is first wanted.
 *
 * Not in the table itself: it is part of the public interface, and may be printed.
 */
export const signingKeys: WeakMap<UserTable, string> = new WeakMap();
