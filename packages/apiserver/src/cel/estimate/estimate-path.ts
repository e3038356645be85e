/**
 * The fields that lead from a variable to a value: `['self', 'list', '@items', 'name']`.
 *
 * It behaves like a Go slice, because cel-go appends to one path several times: a later append is visible in
 * an earlier path, as long as both share the same memory. Estimates depend on that.
 */
export interface Path {
  readonly slots: string[];
  readonly length: number;
  readonly capacity: number;
}

export const EMPTY_PATH: Path = { slots: [], length: 0, capacity: 0 };

export const estimatePathOfVariable = (name: string): Path => ({ slots: [name], length: 1, capacity: 1 });

export function appendToEstimatePath({ slots, length, capacity }: Path, name: string): Path {
  const isFull = length === capacity;
  const memory = isFull ? slots.slice(0, length) : slots;
  memory[length] = name;
  return { slots: memory, length: length + 1, capacity: isFull ? Math.max(1, capacity * 2) : capacity };
}

export const namesInEstimatePath = ({ slots, length }: Path): readonly string[] => slots.slice(0, length);
