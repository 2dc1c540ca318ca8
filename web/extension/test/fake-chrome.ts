//! A chrome.* for tests: storage that works, tabs that are given, and every other call written down.

/** What was called, as `tabs.get`. */
export const calls: string[] = [];

/** Calls that are never answered, as `tabs.reload`. */
export const hanging = new Set<string>();

/** The tabs that Chrome has. */
export const tabs = new Map<number, Record<string, unknown>>();

/** The frames of a tab. */
export const frames = new Map<number, Record<string, unknown>[]>();

type Listener = (...told: unknown[]) => void;

/** Something that Chrome tells. */
function event() {
  const listeners = new Set<Listener>();
  return {
    addListener: (listener: Listener) => void listeners.add(listener),
    tell: (...told: unknown[]) => {
      for (const listener of listeners) listener(...told);
    },
  };
}

/** Chrome tells the worker of its own start. */
export const starts = { onStartup: event(), onInstalled: event() };

/** What is kept; the session's ends with the browser's run and with an update of the extension. */
export const areas = { local: new Map<string, unknown>(), session: new Map<string, unknown>() };

function area(items: Map<string, unknown>) {
  return {
    get: async (key: string) => (items.has(key) ? { [key]: items.get(key) } : {}),
    set: async (given: Record<string, unknown>) => {
      for (const [key, value] of Object.entries(given)) items.set(key, structuredClone(value));
    },
    setAccessLevel: async () => undefined,
  };
}

const real: Record<string, Record<string, unknown>> = {
  runtime: {
    id: "self",
    getURL: (path: string) => `chrome-extension://self/${path}`,
    getManifest: () => ({ version: "0.1.0" }),
    ...starts,
  },
  storage: { local: area(areas.local), session: area(areas.session) },
  tabs: {
    get: async (id: number) => {
      const tab = tabs.get(id);
      if (!tab) throw new Error(`No tab with id: ${id}.`);
      return tab;
    },
    query: async () => [...tabs.values()],
  },
  webNavigation: {
    getAllFrames: async ({ tabId }: { tabId: number }) => frames.get(tabId) ?? [],
  },
  windows: { getAll: async () => [{ id: 1, focused: true }] },
};

function namespace(name: string): unknown {
  return new Proxy(real[name] ?? {}, {
    get: (known, method) => {
      const found = Reflect.get(known, method);
      if (typeof found !== "function" && found !== undefined) return found;
      return (...args: unknown[]) => {
        if (name !== "storage" && name !== "runtime") calls.push(`${name}.${String(method)}`);
        if (hanging.has(`${name}.${String(method)}`)) return new Promise(() => undefined);
        return typeof found === "function" ? found(...args) : Promise.resolve([]);
      };
    },
  });
}

/** Puts it in place; to be called before a module of the extension is loaded. */
export function installChrome(): void {
  const chrome = new Proxy({}, { get: (_, name) => namespace(String(name)) });
  Object.assign(globalThis, { chrome });
}
