import browser from "devtools-protocol/json/browser_protocol.json";
import script from "devtools-protocol/json/js_protocol.json";
import { describe, expect, it } from "vitest";
import { commandRefusal, objectIds } from "../src/cdp-guard";
import { ALLOWED } from "../src/cdp-table";

interface Protocol {
  domains: {
    domain: string;
    commands: { name: string; parameters?: { name: string }[] }[];
  }[];
}

const domains: Protocol["domains"] = [...browser.domains, ...script.domains];
const methods = new Map<string, string[]>(
  domains.flatMap((domain) =>
    domain.commands.map(
      (command) =>
        [
          `${domain.domain}.${command.name}`,
          (command.parameters ?? []).map((parameter) => parameter.name),
        ] as const,
    ),
  ),
);

const facts = {
  hasSession: (id: string) => id === "child",
  hasObject: (id: string) => id === "issued",
  hasRequest: (id: string) => id === "seen",
};
const check = (method: string, params: object = {}, session?: string) =>
  commandRefusal({ method, params: { ...params }, noWait: false, session: session ?? null }, facts);

describe("the table", () => {
  it("names only commands and parameters that the protocol has", () => {
    for (const [method, params] of ALLOWED) {
      const real = methods.get(method);
      expect(real, method).toBeDefined();
      for (const name of Object.keys(params)) expect(real, `${method} ${name}`).toContain(name);
    }
  });

  it("refuses every command that it does not name", () => {
    expect(methods.size).toBeGreaterThan(500);
    for (const method of methods.keys()) {
      if (!ALLOWED.has(method)) expect(check(method), method).not.toBeNull();
    }
  });

  it("refuses every parameter that it does not name", () => {
    for (const [method, params] of ALLOWED) {
      for (const name of [...(methods.get(method) ?? []), "madeUp", "__proto__x", "toString"]) {
        if (!Object.hasOwn(params, name)) {
          expect(check(method, { [name]: 1 }), `${method} ${name}`).not.toBeNull();
        }
      }
    }
  });

  it.each([
    "Target.attachToTarget",
    "Target.createTarget",
    "Target.setAutoAttach",
    "Browser.close",
    "Page.navigate",
    "Page.createIsolatedWorld",
    "Page.addScriptToEvaluateOnNewDocument",
    "Page.setBypassCSP",
    "Page.setDocumentContent",
    "Page.setDownloadBehavior",
    "Page.setInterceptFileChooserDialog",
    "Page.getNavigationHistory",
    "Network.loadNetworkResource",
    "Network.getAllCookies",
    "Network.clearBrowserCookies",
    "Network.clearBrowserCache",
    "Network.setExtraHTTPHeaders",
    "Storage.getCookies",
    "CacheStorage.requestCacheNames",
    "IndexedDB.requestDatabaseNames",
    "ServiceWorker.enable",
    "Debugger.enable",
    // Requests are held and answered by the extension alone.
    "Fetch.enable",
    "Fetch.fulfillRequest",
    "Fetch.failRequest",
    "Fetch.continueRequest",
    "Fetch.continueResponse",
    "Fetch.getResponseBody",
    "Fetch.takeResponseBodyAsStream",
    "IO.read",
    "WebAuthn.enable",
    "DOM.setFileInputFiles",
    "Input.setIgnoreInputEvents",
    "constructor",
    "__proto__",
    "",
  ])("never allows %s", (method) => {
    expect(check(method)).not.toBeNull();
  });
});

describe("parameters", () => {
  it.each([
    ["Runtime.evaluate", { expression: "1", contextId: 3 }],
    ["Runtime.evaluate", { expression: "1", uniqueContextId: "x" }],
    ["Runtime.evaluate", { expression: 1 }],
    ["Runtime.callFunctionOn", { functionDeclaration: "x", executionContextId: 1 }],
    ["Runtime.callFunctionOn", { functionDeclaration: "x" }],
    ["Runtime.callFunctionOn", { functionDeclaration: "x", objectId: "foreign" }],
    [
      "Runtime.callFunctionOn",
      { functionDeclaration: "x", objectId: "issued", arguments: [{ objectId: "foreign" }] },
    ],
    ["Runtime.getProperties", { objectId: "foreign" }],
    ["DOM.resolveNode", { backendNodeId: 1, executionContextId: 1 }],
    ["DOM.describeNode", { objectId: "foreign" }],
    ["Network.getResponseBody", { requestId: "unseen" }],
    ["Input.dispatchDragEvent", { type: "drop", x: 1, y: 1, data: { items: [], files: ["/a"] } }],
    ["Input.dispatchDragEvent", { type: "drop", x: 1, y: 1, data: { files: ["/a"] } }],
    ["Input.dispatchKeyEvent", { type: "keyDown", commands: ["paste"] }],
    ["Input.dispatchKeyEvent", { type: "keyDown", commands: ["copy"] }],
    ["Page.reload", { scriptToEvaluateOnLoad: "1" }],
    ["Page.printToPDF", { transferMode: "ReturnAsStream" }],
    ["Emulation.setFocusEmulationEnabled", { enabled: false }],
  ])("refuses %s %j", (method, params) => {
    expect(check(method, params)).not.toBeNull();
  });

  it.each([
    ["Runtime.evaluate", { expression: "1", replMode: true }],
    ["Runtime.callFunctionOn", { functionDeclaration: "x", objectId: "issued" }],
    [
      "Runtime.callFunctionOn",
      { functionDeclaration: "x", objectId: "issued", arguments: [{ value: 1 }] },
    ],
    ["Input.dispatchMouseEvent", { type: "mousePressed", x: 1, y: 2, force: 0.5, buttons: 1 }],
    ["Input.dispatchKeyEvent", { type: "keyDown", key: "a", commands: ["selectAll"] }],
    ["Input.insertText", { text: "ä" }],
    [
      "Input.dispatchDragEvent",
      {
        type: "drop",
        x: 1,
        y: 1,
        data: { items: [{ mimeType: "text/plain", data: "x" }], dragOperationsMask: 1 },
      },
    ],
    ["Network.getResponseBody", { requestId: "seen" }],
    ["Page.captureScreenshot", { format: "png" }],
  ])("lets %s %j through", (method, params) => {
    expect(check(method, params)).toBeNull();
  });

  it("must be an object", () => {
    const command = { method: "Page.reload", params: [1], noWait: false };
    expect(commandRefusal(command, facts)).not.toBeNull();
  });
});

it("only sessions of this tab are addressed", () => {
  expect(check("Runtime.enable", {}, "child")).toBeNull();
  expect(check("Runtime.enable", {}, "foreign")).not.toBeNull();
  expect(check("Runtime.enable", {}, "")).not.toBeNull();
});

it("objects are issued wherever they stand in a result", () => {
  const result = { result: { objectId: "a" }, list: [{ value: { objectId: "b" } }], objectId: 7 };
  expect(objectIds(result)).toEqual(["a", "b"]);
});
