//! The first page: what Pillion is, what agents can see, and three steps to the first ride. It stands in
//! a tab, so it shows and explains; whatever lets agents do more is done in the popup.

import { drawing, element, type Piece, put } from "./dom";
import { CHECK } from "./pages/icons";
import { connect, place } from "./pages/port";
import { POPUP_PORT, type PopupView } from "./popup-wire";
import { strings } from "./strings";

document.title = strings.firstPage;
connect(POPUP_PORT, draw);

function draw(view: PopupView): void {
  const { link } = view;
  const found = link.is === "connected" || link.is === "refused";
  put(place("main"), [intro(), steps(found, view.settings.consent), sees(), front()]);
}

function intro(): Piece {
  return {
    key: "intro",
    of: 0,
    make: () =>
      element(
        "section",
        { class: "intro" },
        element("img", { src: "icons/icon.svg", alt: "", width: "72", height: "72" }),
        element("h1", {}, strings.firstTitle),
        element("p", { class: "lead" }, strings.firstLead),
      ),
  };
}

function steps(found: boolean, allowed: boolean): Piece {
  const { program, allow, ride } = strings.firstStep;
  return {
    key: "steps",
    of: [found, allowed],
    make: () =>
      element(
        "section",
        {},
        element("h2", { id: "steps" }, strings.firstSteps),
        element(
          "ol",
          { class: "steps", "aria-labelledby": "steps" },
          step(1, program, found),
          step(2, allow, allowed),
          step(3, ride, false),
        ),
      ),
  };
}

interface StepWords {
  readonly title: string;
  readonly todo: string;
  readonly done: string;
}

function step(number: number, words: StepWords, done: boolean): HTMLElement {
  return element(
    "li",
    { class: "card step", "data-done": done },
    element(
      "span",
      { class: "count" },
      element("span", { class: "visually-hidden" }, done ? strings.stepDone : strings.stepOpen),
      done ? drawing(CHECK) : element("span", { "aria-hidden": "true" }, String(number)),
    ),
    element("h3", {}, words.title),
    element("p", {}, done ? words.done : words.todo),
  );
}

function sees(): Piece {
  return {
    key: "sees",
    of: 0,
    make: () =>
      element(
        "section",
        {},
        element("h2", {}, strings.firstSees),
        list(strings.firstSeesList),
        element("p", { class: "note" }, strings.firstStays),
      ),
  };
}

function front(): Piece {
  return {
    key: "front",
    of: 0,
    make: () =>
      element("section", {}, element("h2", {}, strings.firstStop), list(strings.firstStopList)),
  };
}

function list(lines: readonly string[]): HTMLElement {
  return element("ul", { class: "points" }, ...lines.map((line) => element("li", {}, line)));
}
