/** A connection whose reading can be stopped. */
interface Pausable {
  pause(): unknown;
  resume(): unknown;
}

/** A listener for chunks that pauses the connection until all of them are used. `read` never rejects. */
export function pacedReader(socket: Pausable, read: (chunk: Buffer) => Promise<void>): (chunk: Buffer) => void {
  let unused = 0;
  return (chunk) => {
    unused += 1;
    socket.pause();
    void read(chunk).then(() => {
      unused -= 1;
      if (unused === 0) socket.resume();
    });
  };
}
