//! Every word that the user reads.

import type { AskFor } from "../../wire/ask";
import type { Store, StoreOp } from "../../wire/trying";
import type { WishKind } from "./approvals";
import type { AskKind, Decision } from "./asks";
import type { Contact } from "./contacts";
import type { LinkState } from "./link";
import type { PairFailure } from "./pairing";
import type { PatternProblem, Rule } from "./rules";
import type { Kind } from "./sensitive";
import type { Sharing } from "./settings";
import type { Picture } from "./sign";
import type { Halt } from "./stops";

/** A headline and what to do. */
export interface Words {
  readonly title: string;
  readonly hint: string;
}

const refused: Record<Extract<LinkState, { is: "refused" }>["code"], Words> = {
  unknown_profile: {
    title: "Not paired",
    hint: "Pillion does not know this profile yet. Run “pillion setup --native” in a terminal.",
  },
  version: {
    title: "Versions do not fit",
    hint: "Update Pillion and this extension so that both are of one version.",
  },
  copy: {
    title: "This is a copy",
    hint: "Another running browser uses the same profile key. Make this copy a profile of its own.",
  },
  full: {
    title: "Too many profiles",
    hint: "Pillion is connected to as many profiles as it takes. Close another one.",
  },
};

/** Why a code did not pair, and what to do. */
const unpaired: Record<PairFailure | "not_a_code", string> = {
  not_a_code: "A code has eight letters and digits, such as 7K3M-Q9TD.",
  nobody:
    "No Pillion answers on this computer. Run “pillion pair” in a terminal and type the code that it shows.",
  no_code:
    "No code is waiting: it was used, or its two minutes are over. Run “pillion pair” for a new one.",
  wrong_code:
    "That is not the code. Look at it again; after three wrong tries a new one is needed.",
  full: "Pillion knows as many profiles as it takes. “pillion pairing reset” forgets them all.",
  failed: "Pillion could not remember this profile. “pillion daemon logs” says why.",
};

export const strings = {
  name: "Pillion",
  defaultLabel: "Browser",
  badgeNeeded: "Pillion needs you",
  badge: (held: number) =>
    held === 0 ? "Pillion" : `Pillion: ${held} ${held === 1 ? "tab" : "tabs"} with agents`,

  badgeAsks: (count: number) => `Pillion: ${count === 1 ? "an agent asks" : `${count} agents ask`}`,
  badgeHalted: "Pillion: agents are stopped",

  connected: { title: "Connected", hint: "Agents can ride along." } satisfies Words,
  connectedIdle: { title: "Connected", hint: "No agent is at work." } satisfies Words,
  paused: { title: "Paused", hint: "Agents can do nothing in this profile." } satisfies Words,
  halted: {
    stop: { title: "Stopped", hint: "Agents can do nothing until you let them go on." },
    pause: { title: "Paused", hint: "Agents can begin nothing until you let them go on." },
  } satisfies Record<Halt, Words>,
  waiting: {
    title: "Waiting for you",
    hint: "An agent program on this computer is ready to use this profile.",
  } satisfies Words,
  searching: {
    title: "Looking for Pillion",
    hint: "It starts with the first agent. Nothing to do here.",
  } satisfies Words,
  noHelper: {
    title: "Not set up yet",
    hint: "Run “pillion setup --native” in a terminal, then try again.",
  } satisfies Words,
  refused,

  allow: "Let agents use this profile",
  allowNote: "Agents open tabs of their own. Your tabs stay closed to them until you share one.",
  revoke: "Shut agents out",
  retry: "Try again",
  renew: "Make it its own profile",
  repinned:
    "Pillion was set up anew on this computer. This profile is now paired with the new one.",
  dismiss: "OK",

  pair: {
    open: "Pair with a code",
    title: "Pair with a code",
    hint: "Type the code that your agent or “pillion pair” shows. That lets agents use this profile.",
    field: "Code",
    example: "XXXX-XXXX",
    submit: "Pair",
    cancel: "Cancel",
    trying: "Pairing…",
    unpaired,
  },

  label: "Profile name",
  sharing: "Agents may use",
  sharingChoices: {
    chosen: "own and shared tabs",
    every: "every tab",
    paused: "nothing (paused)",
  } satisfies Record<Sharing, string>,

  tabs: "Tabs",
  share: (title: string) => `Share “${title}” with agents`,
  shared: "Shared",
  private: "Private",
  free: "free",
  untitled: "Untitled",
  noTabs: "No tabs are open.",
  noTabsFound: "No tab has these words.",
  protectedTab: "Chrome keeps extensions off this page",
  search: "Search tabs",
  shareAll: "Share all",
  shareNone: "Share none",
  tabNumber: (number: number) => `Tab ${number}`,
  takeBack: (title: string) => `Take “${title}” back from its agent`,
  letOnTab: (title: string) => `Resume in “${title}”`,
  letOnTabShort: "Resume",
  tabStopped: "stopped",

  agents: "Agents",
  noAgents: "No agent is here. One appears with its first call.",
  idle: "idle",
  haltedAgent: { stop: "stopped", pause: "paused" } satisfies Record<Halt, string>,
  doing: (tool: string) => tool.replace(/^browser_/, "").replaceAll("_", " "),
  lastDid: (tool: string) => `last: ${tool}`,
  inTab: (number: number) => `tab ${number}`,
  inTabs: (numbers: readonly number[]) =>
    `${numbers.length === 1 ? "tab" : "tabs"} ${numbers.join(", ")}`,
  pause: "Pause",
  stop: "Stop",
  resume: "Resume",
  disconnect: "Disconnect",
  pauseAgent: (agent: string) => `Pause ${agent}`,
  stopAgent: (agent: string) => `Stop ${agent}`,
  resumeAgent: (agent: string) => `Resume ${agent}`,
  disconnectAgent: (agent: string) => `Disconnect ${agent}`,
  stopAll: "Stop everything",
  resumeAll: "Let agents go on",

  openPanel: "Open side panel",
  openOptions: "Settings",

  prompts: "Waiting for you",
  more: (count: number) => `${count} more ${count === 1 ? "waits" : "wait"}`,
  moveAway: "Move the pointer away for the next one.",
  notArmed: "The buttons work in a moment.",
  answerBy: (time: string) => `No answer by ${time} means no.`,
  notFocused: "Click here to answer.",
  wants: {
    first_contact: "wants to use this profile",
    act: "wants to",
    pay: "wants, where it may cost money, to",
    code: "wants to run code",
    files: "wants to hand over files",
    secret: "wants to use a secret",
    trace: "wants to measure the page",
    ask: "asks you to",
  } satisfies Record<AskKind, string>,
  /** Wishes, after "wants to", and what exactly, a line each. */
  asks: {
    press: "press",
    grab: "drag",
    drop: "drop on",
    button: { left: "left button", right: "right button", middle: "middle button" },
    times: (count: number) => `${count} times`,
    held: (keys: string) => `with ${keys} held`,
    list: (count: number) => `do these ${count} things`,
    bodies: "and read whole answers",
    oddField: "It is neither a password nor a one-time-code field.",
    seenBy: (sites: string) => `It can be read by: ${sites}`,
    type: "type",
    fill: "fill in",
    choose: "choose",
    dialog: "answer a dialog with OK",
    run: "",
    upload: "",
    element: (role: string, name: string) => `${role}, the page calls it “${name}”`,
    nameless: (role: string) => `${role}, without a name`,
    form: (origin: string) => `its form goes to ${origin}`,
    typed: (text: string) => `“${text}”`,
    masked: (length: number) => `${length} characters, hidden`,
    keys: (names: string) => `keys: ${names}`,
    file: (name: string, size: string) => `${name} (${size})`,
    patch: "Try a change on the page:",
    answers: "Answer in the server’s place:",
    blocks: "fails",
    cookies: "See the values of the site’s cookies",
    trace: "Measure how the page loads and runs, with the addresses of what it loads",
    stored: (what: StoreOp, store: Store, key: string) =>
      `${{ list: "See", get: "See", set: "Write", delete: "Delete" }[what]} what the page stores (${store})${key === "" ? "" : `: ${key}`}`,
  },
  askedFor: {
    login: "sign in",
    code: "enter a code",
    captcha: "show that a person is here",
    payment: "pay",
    choose: "choose",
    confirm: "say yes or no",
    tab: "share a tab",
    look: "point at something",
    extension: "let another extension connect",
  } satisfies Record<AskFor, string>,
  /** What to do where; the prompt itself does none of it. */
  askedHow: {
    login: "Do it in the tab. The agent waits and sees nothing of it until you are done.",
    code: "Do it in the tab. The agent waits and sees nothing of it until you are done.",
    captcha: "Do it in the tab. The agent waits and sees nothing of it until you are done.",
    payment: "Do it in the tab. The agent waits and sees nothing of it until you are done.",
    choose: "The words of the choices are the agent’s.",
    confirm: "Yes says only that. It allows nothing by itself.",
    tab: "The agent gets the tab that you pick. Of the others it is told nothing.",
    look: "Click what the agent means in the tab, or press Escape there.",
    extension:
      "Yes only if you ran “pillion allow-extension” yourself. With your leave to its profile, that extension could do in it what this one does here.",
  } satisfies Record<AskFor, string>,
  askRefusal: {
    login: "Not now",
    code: "Not now",
    captcha: "Not now",
    payment: "Not now",
    choose: "None of these",
    confirm: "No",
    tab: "None",
    look: "Not now",
    extension: "No",
  } satisfies Record<AskFor, string>,
  answers: "Answers",
  askDone: "Done",
  askYes: "Yes",
  askAnswered: "The agent was told.",
  askRefused: "The agent was told no.",
  noTabToPick: "There is no tab that could be shared.",
  pointHint: "Click what your agent asks for · Esc: not now",
  notification: "Open Pillion: you are asked something.",
  noAgentNamed: "the daemon named no agent",
  clickAllow: (profile: string) =>
    `click Allow in the Pillion popup of profile "${profile}". Nothing was done. Ask the user to do so, then make the same call again`,
  keptOut: (client: string) =>
    `the user keeps "${client}" out of this profile. Nothing was done; only the user can change that, in Pillion's settings`,
  on: "on",
  facts: {
    agent: "Calls itself",
    program: "Program",
    folder: "Folder",
    tab: "Tab",
    profile: "Profile",
  },
  linesOf: (count: number) => `What it would do: ${count} things`,
  says: "The agent says",
  decisions: {
    deny: "Deny",
    deny_session: "Deny for this session",
    once: "Allow once",
    session: "Allow for this session",
    site: "Always on this site",
    always: "Always",
    no: "No",
    expired: "Too late",
  } satisfies Record<Decision, string>,
  decided: {
    deny: "Denied.",
    deny_session: "Denied for this session.",
    once: "Allowed once.",
    session: "Allowed for this session.",
    site: "Allowed on this site.",
    always: "Allowed from now on.",
    no: "Refused.",
    expired: "It is no longer asked.",
  } satisfies Record<Decision, string>,
  quiet: (asker: string, denied: number) =>
    `${asker} asked too often: ${denied} more ${denied === 1 ? "request was" : "requests were"} denied.`,

  activity: "Activity",
  sites: "Sites",
  allAgents: "All agents",
  filterAgents: "Show the calls of",
  noActivity: "Nothing yet. Each call of an agent shows up here as it happens.",
  noActivityOf: "This agent has not called lately.",
  running: "running",
  ok: "done",
  chars: (count: string) => `${count}\u00a0chars`,
  receipt: "What the agent was told",

  thisSite: "This site",
  noSite: "The page in front is not a website.",
  rules: {
    never: "Never",
    read: "Read only",
    ask: "Ask before acting",
    free: "Free",
  } satisfies Record<Rule, string>,
  rulesMean: {
    never: "Agents neither see nor open it.",
    read: "Agents read. No clicks, typing or scripts; opening a page can still have effects.",
    ask: "Agents read; each act waits for your yes.",
    free: "Agents act as you would, with everything you are signed in to.",
  } satisfies Record<Rule, string>,
  becauseOf: (kind: string) => `Starts as a rule of its own: ${kind}.`,
  addRule: "Add a rule",
  addRuleButton: "Add",
  ruleFor: "Site",
  rule: "Rule",
  ruleOf: (pattern: string) => `Rule for ${pattern}`,
  removeRule: (pattern: string) => `Remove the rule for ${pattern}`,
  rulePlaceholder: "example.org",
  ruleHint: "example.org means that site and all below it; https://example.org only that address.",
  yourRules: "Your rules",
  noRules: "You made no rules. Every site is free but the kinds below.",
  kindsTitle: "Sensitive sites",
  kindsHint: "What holds on well-known sites of these kinds while you make no rule of your own.",
  kinds: {
    bank: "Banks and payments",
    passwords: "Password managers",
    account: "Account and sign-in pages",
  } satisfies Record<Kind, string>,
  ruleProblems: {
    empty: "Type a site first, such as example.org.",
    scheme: "Rules are for websites: http or https.",
    path: "Rules are for whole sites: leave out what follows the name.",
    user: "Leave out the part before the @.",
    number: "Write the whole address, with http:// or https://, when it has a port or is a number.",
    short: "That covers too much: name a site, such as example.org.",
    bad: "That is not the name of a site.",
  } satisfies Record<PatternProblem, string>,

  optionsTitle: "Pillion settings",
  profile: "Profile",
  profileHint: "Agents see this name. Left empty, it is the browser’s.",
  letIn: "Agents may use this profile",
  inPageTitle: "In the page",
  inPageHint:
    "While an agent acts in a tab you look at, a frame shows it, and what you press or type in that moment does not mix with it. Pictures that agents take are without it.",
  shieldSwitch: "Frame while an agent acts",
  cursorSwitch: "Show where it points",
  actsHere: (agent: string) => `${agent} is acting here`,
  someAgent: "An agent",
  takeOver: "Take over",
  takeOverKeys: "or Esc three times",
  signTitle: "Your sign",
  signHint:
    "It stands first in every real question of Pillion. A page that imitates one does not know it.",
  signPicture: "Picture",
  signWord: "Word",
  signNew: "Draw another",
  pictures: {
    sun: "Sun",
    moon: "Moon",
    leaf: "Leaf",
    boat: "Boat",
    key: "Key",
    bell: "Bell",
    cup: "Cup",
    kite: "Kite",
    fish: "Fish",
    star: "Star",
    tree: "Tree",
    house: "House",
  } satisfies Record<Picture, string>,
  leavesTitle: "Allowed without asking",
  leavesHint:
    "What you allowed for a session or for a site. Code, files, secrets and payments are never allowed for a whole site.",
  noLeaves: "Nothing: every question is asked.",
  leaveFor: {
    site: "acts, always",
    act: "acts, this session",
    pay: "payments, this session",
    code: "code, this session",
    files: "files, this session",
    trace: "measuring, this session",
    secret: "secrets, this session",
  } satisfies Record<WishKind | "site", string>,
  takeLeave: "Ask again",
  takeLeaveOf: (name: string) => `Ask again for ${name}`,
  secretLeavesTitle: "Where secrets go",
  secretLeavesHint:
    "The sites where a secret was used, and fields that you allowed though they are not for passwords. A secret's first site needs no click; every further one does.",
  noSecretLeaves: "No secret was used yet.",
  secretSite: "password fields",
  secretField: (name: string) => `field “${name}”`,
  contactsTitle: "Known agents",
  contactsHint: "By the name that an agent gives itself and the program that started it.",
  noContacts: "No agent was let in or kept out for good.",
  contactAnswer: { always: "let in", no: "kept out" } satisfies Record<Contact["answer"], string>,
  forgetContact: (agent: string) => `Forget ${agent}`,
  forget: "Forget",
  quietTitle: "Quiet mode: without Chrome’s debugger and its banner",
  quietMode:
    "the user keeps the debugger off in this profile (Quiet mode in Pillion's settings); reading, clicking, typing and filling work without it",
  notifyTitle: "Say so on the desktop when an agent asks",
  stoppedTitle: "Stopped agents",
  noneStopped: "No agent is stopped.",
  pairing: "Connection",
  pairedAs: (profile: string, version: string) => `Profile “${profile}”, Pillion ${version}`,
  reset: "Reset pairing",
  resetHint:
    "Forgets this profile’s key and the program it trusts, and pairs anew. Rules, sharing and stops stay.",
  resetSure: "Reset now",
  cancel: "Cancel",
  version: (version: string) => `Extension ${version}`,
  inTabOnly: "Open the settings from Pillion’s popup: in a tab they can only be looked at.",

  firstPage: "Welcome to Pillion",
  firstTitle: "Your agents can ride along",
  firstLead:
    "Pillion lets AI agents on this computer use this browser beside you: in tabs of their own, with your logins, while you go on working.",
  firstSees: "What agents can see",
  firstSeesList: [
    "Tabs that they opened, and tabs that you share one by one.",
    "Of your other tabs: how many there are, and nothing more.",
    "Never pages of the browser itself. Passwords that are filled in are masked.",
  ],
  firstStays:
    "Pillion itself sends nothing off this computer and counts nothing. What your agent does with what it reads is between you and it.",
  firstSteps: "Three steps to the first ride",
  firstStep: {
    program: {
      title: "Pillion runs on this computer",
      todo: "Run “pillion setup --native” in a terminal.",
      done: "It was found.",
    },
    allow: {
      title: "You let agents in",
      todo: "Click Pillion’s icon in the toolbar, then “Let agents use this profile”.",
      done: "Agents may use this profile.",
    },
    ride: {
      title: "Your agent takes the back seat",
      todo: "Ask it to open a page, such as example.org. Its tab gets a coloured group with its name.",
      done: "",
    },
  },
  firstStop: "You stay in front",
  firstStopList: [
    "Stop an agent in the popup or the side panel: what it does ends at once, and its tabs are yours.",
    "Drag a tab out of an agent’s group to take it back.",
    "Real questions of Pillion carry your own sign, a picture and a word. You find it in the settings.",
  ],
  stepDone: "Done",
  stepOpen: "To do",
} as const;
