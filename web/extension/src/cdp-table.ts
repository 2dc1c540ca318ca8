//! Debugger commands that the daemon may send, with every parameter that they may carry. Not in this
//! table, or with a parameter that is not named: refused. Pure data; `cdp-guard.ts` reads it. Nothing of
//! Fetch is in it: a request that is held must not wait for a daemon; `mock.ts` answers it.

/** What a parameter must be. `object` means an object that this tab's link was given. */
export type Rule =
  | "number"
  | "string"
  | "boolean"
  | "json"
  | "object"
  | "request"
  | "arguments"
  | "drag"
  | "commands"
  | { readonly only: readonly (string | boolean)[] };

/** Parameters by name. */
export type Params = Readonly<Record<string, Rule>>;

const node: Params = { nodeId: "number", backendNodeId: "number", objectId: "object" };
const none: Params = {};
const answer: Params = {
  objectGroup: "string",
  silent: "boolean",
  returnByValue: "boolean",
  generatePreview: "boolean",
  userGesture: "boolean",
  awaitPromise: "boolean",
  throwOnSideEffect: "boolean",
  serializationOptions: "json",
};

const look: Record<string, Params> = {
  "Page.getLayoutMetrics": none,
  "Page.getFrameTree": none,
  "DOM.enable": none,
  "DOM.disable": none,
  "DOM.getDocument": { depth: "number", pierce: "boolean" },
  "DOM.describeNode": { ...node, depth: "number", pierce: "boolean" },
  "DOM.getBoxModel": node,
  "DOM.getContentQuads": node,
  "DOM.resolveNode": { nodeId: "number", backendNodeId: "number", objectGroup: "string" },
  "DOM.requestNode": { objectId: "object" },
  "DOM.getOuterHTML": { ...node, includeShadowDOM: "boolean" },
  "CSS.enable": none,
  "CSS.disable": none,
  "CSS.getComputedStyleForNode": { nodeId: "number" },
  "CSS.getMatchedStylesForNode": { nodeId: "number" },
  "CSS.getInlineStylesForNode": { nodeId: "number" },
  "CSS.getPlatformFontsForNode": { nodeId: "number" },
  "CSS.getBackgroundColors": { nodeId: "number" },
  "CSS.getStyleSheetText": { styleSheetId: "string" },
  "CSS.getMediaQueries": none,
  "DOMDebugger.getEventListeners": { objectId: "object", depth: "number", pierce: "boolean" },
  "Accessibility.getPartialAXTree": { ...node, fetchRelatives: "boolean" },
  "Performance.enable": { timeDomain: "string" },
  "Performance.getMetrics": none,
  "Log.enable": none,
  "Network.enable": {
    maxTotalBufferSize: "number",
    maxResourceBufferSize: "number",
    maxPostDataSize: "number",
  },
  "Runtime.enable": none,
  "Runtime.disable": none,
};

const picture: Record<string, Params> = {
  "Page.captureScreenshot": {
    format: { only: ["png", "jpeg", "webp"] },
    quality: "number",
    clip: "json",
    captureBeyondViewport: "boolean",
    fromSurface: { only: [true] },
    optimizeForSpeed: "boolean",
  },
  "Page.startScreencast": {
    format: { only: ["png", "jpeg"] },
    quality: "number",
    maxWidth: "number",
    maxHeight: "number",
    everyNthFrame: "number",
  },
  "Page.stopScreencast": none,
  "Page.screencastFrameAck": { sessionId: "number" },
  "Page.printToPDF": {
    landscape: "boolean",
    displayHeaderFooter: "boolean",
    printBackground: "boolean",
    scale: "number",
    paperWidth: "number",
    paperHeight: "number",
    marginTop: "number",
    marginBottom: "number",
    marginLeft: "number",
    marginRight: "number",
    pageRanges: "string",
    preferCSSPageSize: "boolean",
    transferMode: { only: ["ReturnAsBase64"] },
    generateTaggedPDF: "boolean",
    generateDocumentOutline: "boolean",
  },
  "Page.captureSnapshot": { format: { only: ["mhtml"] } },
};

const bodies: Record<string, Params> = {
  "Network.getResponseBody": { requestId: "request" },
  "Network.getRequestPostData": { requestId: "request" },
};

const input: Record<string, Params> = {
  "Input.dispatchMouseEvent": {
    type: { only: ["mousePressed", "mouseReleased", "mouseMoved", "mouseWheel"] },
    x: "number",
    y: "number",
    modifiers: "number",
    timestamp: "number",
    button: "string",
    buttons: "number",
    clickCount: "number",
    force: "number",
    tangentialPressure: "number",
    tiltX: "number",
    tiltY: "number",
    twist: "number",
    deltaX: "number",
    deltaY: "number",
    pointerType: { only: ["mouse", "pen"] },
  },
  "Input.dispatchKeyEvent": {
    type: { only: ["keyDown", "keyUp", "rawKeyDown", "char"] },
    modifiers: "number",
    timestamp: "number",
    text: "string",
    unmodifiedText: "string",
    keyIdentifier: "string",
    code: "string",
    key: "string",
    windowsVirtualKeyCode: "number",
    nativeVirtualKeyCode: "number",
    autoRepeat: "boolean",
    isKeypad: "boolean",
    isSystemKey: "boolean",
    location: "number",
    commands: "commands",
  },
  "Input.insertText": { text: "string" },
  "Input.imeSetComposition": {
    text: "string",
    selectionStart: "number",
    selectionEnd: "number",
    replacementStart: "number",
    replacementEnd: "number",
  },
  "Input.dispatchDragEvent": {
    type: { only: ["dragEnter", "dragOver", "drop", "dragCancel"] },
    x: "number",
    y: "number",
    data: "drag",
    modifiers: "number",
  },
  "Input.setInterceptDrags": { enabled: "boolean" },
  "Page.handleJavaScriptDialog": { accept: "boolean", promptText: "string" },
  "DOM.focus": node,
  "DOM.scrollIntoViewIfNeeded": { ...node, rect: "json" },
};

const go: Record<string, Params> = {
  "Page.reload": { ignoreCache: "boolean" },
  "Page.navigateToHistoryEntry": { entryId: "number" },
};

const emulate: Record<string, Params> = {
  "Emulation.setFocusEmulationEnabled": { enabled: { only: [true] } },
  "Emulation.setDeviceMetricsOverride": {
    width: "number",
    height: "number",
    deviceScaleFactor: "number",
    mobile: "boolean",
    scale: "number",
    screenWidth: "number",
    screenHeight: "number",
    positionX: "number",
    positionY: "number",
    dontSetVisibleSize: "boolean",
    screenOrientation: "json",
  },
  "Emulation.clearDeviceMetricsOverride": none,
  "Emulation.setTouchEmulationEnabled": { enabled: "boolean", maxTouchPoints: "number" },
  "Emulation.setEmulatedMedia": { media: "string", features: "json" },
  "Emulation.setGeolocationOverride": {
    latitude: "number",
    longitude: "number",
    accuracy: "number",
  },
  "Emulation.clearGeolocationOverride": none,
  "Emulation.setLocaleOverride": { locale: "string" },
  "Emulation.setTimezoneOverride": { timezoneId: "string" },
  "Emulation.setUserAgentOverride": {
    userAgent: "string",
    acceptLanguage: "string",
    platform: "string",
  },
  "Emulation.setCPUThrottlingRate": { rate: "number" },
  "Network.emulateNetworkConditions": {
    offline: "boolean",
    latency: "number",
    downloadThroughput: "number",
    uploadThroughput: "number",
    connectionType: "string",
  },
  "Network.setCacheDisabled": { cacheDisabled: "boolean" },
  "Network.setBlockedURLs": { urls: "json" },
};

const code: Record<string, Params> = {
  "Runtime.evaluate": {
    ...answer,
    expression: "string",
    includeCommandLineAPI: "boolean",
    timeout: "number",
    disableBreaks: "boolean",
    replMode: "boolean",
    allowUnsafeEvalBlockedByCSP: "boolean",
  },
  "Runtime.callFunctionOn": {
    ...answer,
    functionDeclaration: "string",
    objectId: "object",
    arguments: "arguments",
  },
  "Runtime.getProperties": {
    objectId: "object",
    ownProperties: "boolean",
    accessorPropertiesOnly: "boolean",
    generatePreview: "boolean",
    nonIndexedPropertiesOnly: "boolean",
  },
  "Runtime.releaseObject": { objectId: "object" },
  "DOM.setAttributeValue": { nodeId: "number", name: "string", value: "string" },
  "DOM.setAttributesAsText": { nodeId: "number", text: "string", name: "string" },
  "DOM.setNodeValue": { nodeId: "number", value: "string" },
  "DOM.setOuterHTML": { nodeId: "number", outerHTML: "string" },
  "CSS.setStyleTexts": { edits: "json" },
  "CSS.setStyleSheetText": { styleSheetId: "string", text: "string" },
  "CSS.setEffectivePropertyValueForNode": {
    nodeId: "number",
    propertyName: "string",
    value: "string",
  },
};

/** Whose cookies they are is filled in by the guard: the addressed document's own. */
const cookies: Record<string, Params> = {
  "Network.getCookies": none,
  "Network.setCookie": {
    name: "string",
    value: "string",
    path: "string",
    secure: "boolean",
    httpOnly: "boolean",
    sameSite: { only: ["Strict", "Lax", "None"] },
    expires: "number",
  },
  "Network.deleteCookies": { name: "string", path: "string" },
};

/** Parameters that must be there, where leaving them out would mean more than naming them. */
export const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  "Runtime.callFunctionOn": ["functionDeclaration", "objectId"],
};

const GROUPED = { look, picture, bodies, input, go, emulate, code, cookies };

/** A group of the table. */
export type TableGroup = keyof typeof GROUPED;

export const ALLOWED: ReadonlyMap<string, Params> = new Map(
  Object.values(GROUPED).flatMap((group) => Object.entries(group)),
);

/** The group of each command. */
export const GROUP_OF: ReadonlyMap<string, TableGroup> = new Map(
  (Object.keys(GROUPED) as TableGroup[]).flatMap((group) =>
    Object.keys(GROUPED[group]).map((method) => [method, group] as const),
  ),
);
