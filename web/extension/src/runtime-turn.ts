//! One after the other: whoever switches the Runtime domain of a tab on and off to have something
//! replayed. Two at once would each miss what the other was told.

const turns = new Map<number, Promise<unknown>>();

/** Runs when every earlier turn of the tab is over. */
export function runtimeTurn<T>(tab: number, work: () => Promise<T>): Promise<T> {
  const before = turns.get(tab) ?? Promise.resolve();
  const run = before.then(work, work);
  const over = run.then(
    () => undefined,
    () => undefined,
  );
  turns.set(tab, over);
  void over.then(() => {
    if (turns.get(tab) === over) turns.delete(tab);
  });
  return run;
}
