import type { Browser, CDPSession, Page } from "playwright-core";
import type {
  FillOutcome,
  Matches,
  PageCall,
  PageError,
  Ready,
  Element as WireElement,
} from "../../wire/page.ts";

/** The agent's answer, or its failure. */
export type Answer<T> = { ok: T; error?: undefined } | { ok?: undefined; error: PageError };
export type By = "role" | "text" | "label" | "css";

/** A server on two names of this machine, so that pages can hold frames of another site. */
export type Site = { origin: string; other: string; stop: () => Promise<void> };
export function serve(): Promise<Site>;

/** Drives one page through the agent. */
export class Rig {
  readonly browser: Browser;
  readonly page: Page;
  readonly cdp: CDPSession;
  static start(): Promise<Rig>;
  stop(): Promise<void>;
  /** Opens a fixture and puts the agent into its frames. */
  open(name: string): Promise<void>;
  load(url: string): Promise<void>;
  /** Opens a page of this HTML. */
  html(html: string): Promise<void>;
  inject(before?: string): Promise<void>;
  /** The keeper's code, as it is shipped. */
  readonly keeper: string;
  /** The shield's code. */
  readonly shield: string;
  /** One call; `frame` is the name of a child frame. */
  ask<T>(call: PageCall, frame?: string): Promise<Answer<T>>;
  /** One call that must not fail. */
  get<T>(call: PageCall, frame?: string): Promise<T>;
  /** Code in the isolated world. */
  inWorld(expression: string, frame?: string): Promise<unknown>;
  find(by: By, what: string, name?: string, frame?: string): Promise<Matches>;
  /** The only element for a target. */
  one(by: By, what: string, name?: string, frame?: string): Promise<WireElement>;
  /** Prepares and presses. */
  click(element: WireElement): Promise<Ready>;
  /** Fills as the engine does. */
  fill(element: WireElement, value: string): Promise<FillOutcome>;
  press(x: number, y: number): Promise<void>;
  move(x: number, y: number): Promise<void>;
  type(text: string): Promise<void>;
  /** An expression in the page's own world. */
  page_<T>(expression: string): Promise<T>;
}

export function axeText(): Promise<string>;
