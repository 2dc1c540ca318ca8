//! Caches that live exactly as long as one walk.
//!
//! Between two calls the page may change anything, so nothing is remembered outside `reading`.
//! It must only wrap synchronous work: an await inside would keep stale facts.

let depth = 0;
let generation = 0;

/** Run a walk; facts about elements are remembered until the outermost one ends. */
export function reading<T>(walk: () => T): T {
  depth += 1;
  try {
    return walk();
  } finally {
    depth -= 1;
    if (depth === 0) generation += 1;
  }
}

/** A question about an element that is asked only once a walk. */
export function perWalk<K extends object, V>(ask: (key: K) => V): (key: K) => V {
  let answers = new Map<K, V>();
  let of = -1;
  return (key) => {
    if (depth === 0) {
      if (answers.size > 0) answers = new Map();
      return ask(key);
    }
    if (of !== generation) {
      answers = new Map();
      of = generation;
    }
    const known = answers.get(key);
    if (known !== undefined || answers.has(key)) return known as V;
    const answer = ask(key);
    answers.set(key, answer);
    return answer;
  };
}

/** Computed style; live, so remembering the object is always right. */
export const styleOf = perWalk((el: Element): CSSStyleDeclaration => getComputedStyle(el));
