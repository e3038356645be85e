/**
 * The fields that lead from a variable to a value: `['self', 'list', '@items', 'name']`.
 *
 * It is a Go slice, because cel-go appends to one path several times: what is appended later is seen in a path that was
 * made earlier, as long as both fit into the same memory. Estimates depend on that.
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
