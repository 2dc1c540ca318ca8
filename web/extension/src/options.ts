//! The settings: everything that the user decides in this profile. Chrome shows them inside its own
//! page, out of reach of tabs; opened in a tab they say so and change nothing.

import { requestNotifications, runtime } from "./chrome";
import { button, choice, element, type Piece, put, said } from "./dom";
import { contactsSection } from "./pages/contacts";
import { inPageSection } from "./pages/in-page";
import { leavesSection, secretLeavesSection } from "./pages/leaves";
import { drawName } from "./pages/name";
import { connect, place } from "./pages/port";
import { RuleEditor, twice } from "./pages/rules";
import { sharingSection } from "./pages/sharing";
import { signOf } from "./pages/sign";
import { statusSection } from "./pages/status";
import { POPUP_PORT, type PopupView } from "./popup-wire";
import { PICTURES, randomSign, type Sign, WORD_CHARS } from "./sign";
import { strings } from "./strings";
import { shown } from "./text";

const tell = connect(POPUP_PORT, draw);
document.title = strings.optionsTitle;
place("title").textContent = strings.optionsTitle;
let rules: RuleEditor | null = null;

function draw(view: PopupView): void {
  if (!view.rules || !view.sign) {
    put(place("main"), [inTab()]);
    return;
  }
  put(place("main"), [
    statusSection(view, tell),
    profile(),
    consent(view),
    sharingSection(view, tell),
    inPageSection(view, tell),
    quietly(view),
    sign(view.sign),
    notifying(view),
    contactsSection(view, tell),
    leavesSection(view, tell),
    secretLeavesSection(view, tell),
    stopped(view),
    { key: "rules", of: 0, make: rulesSection },
    pairing(view),
    about(),
  ]);
  drawName(place("label"), view, tell);
  rules?.show(view.rules, null);
}

function inTab(): Piece {
  return {
    key: "tab",
    of: 0,
    make: () => element("p", { class: "card empty", role: "status" }, strings.inTabOnly),
  };
}

function section(
  title: string,
  hint: string | null,
  ...parts: (HTMLElement | null)[]
): HTMLElement {
  return element(
    "section",
    {},
    element("h2", {}, title),
    hint === null ? null : element("p", { class: "note" }, hint),
    ...parts,
  );
}

function profile(): Piece {
  const field = () =>
    element("input", {
      id: "label",
      type: "text",
      maxlength: "60",
      autocomplete: "off",
      spellcheck: "false",
    });
  return {
    key: "profile",
    of: 0,
    make: () =>
      section(
        strings.profile,
        strings.profileHint,
        element(
          "div",
          { class: "card line" },
          element("label", { for: "label" }, strings.label),
          field(),
        ),
      ),
  };
}

function consent(view: PopupView): Piece {
  const on = view.settings.consent;
  return toggle("consent", strings.letIn, on, () => tell({ ask: "consent", granted: !on }));
}

function quietly(view: PopupView): Piece {
  const on = view.settings.quiet;
  return toggle("quiet", strings.quietTitle, on, () => tell({ ask: "quiet", on: !on }));
}

function notifying(view: PopupView): Piece {
  const on = view.settings.notify;
  return toggle("notify", strings.notifyTitle, on, () => {
    if (on) tell({ ask: "notify", on: false });
    // Only within the click itself: nothing may be waited for before.
    else void requestNotifications().then((granted) => tell({ ask: "notify", on: granted }));
  });
}

function toggle(key: string, title: string, on: boolean, flip: () => void): Piece {
  return {
    key,
    of: on,
    make: () => {
      const made = element("button", {
        type: "button",
        class: "switch",
        role: "switch",
        "data-key": key,
        "aria-checked": String(on),
        "aria-labelledby": `${key}-words`,
      });
      made.addEventListener("click", flip);
      const words = element("span", { id: `${key}-words` }, title);
      return element("section", { class: "card line" }, words, made);
    },
  };
}

function sign(now: Sign): Piece {
  return {
    key: "sign",
    of: now,
    make: () => {
      const picture = choice(
        { id: "sign-picture", "data-key": "sign-picture" },
        PICTURES,
        strings.pictures,
        now.picture,
        (value) => tell({ ask: "sign", sign: { ...now, picture: value } }),
      );
      const word = element("input", {
        id: "sign-word",
        "data-key": "sign-word",
        type: "text",
        maxlength: String(WORD_CHARS),
        value: now.word,
        autocomplete: "off",
        spellcheck: "false",
      });
      word.addEventListener("change", () =>
        tell({ ask: "sign", sign: { ...now, word: word.value } }),
      );
      const another = button(strings.signNew, "plain", () =>
        tell({ ask: "sign", sign: randomSign() }),
      );
      return section(
        strings.signTitle,
        strings.signHint,
        element(
          "div",
          { class: "card here" },
          signOf(now),
          element(
            "div",
            { class: "fields" },
            field("sign-picture", strings.signPicture, picture),
            field("sign-word", strings.signWord, word),
            another,
          ),
        ),
      );
    },
  };
}

function field(id: string, words: string, input: HTMLElement): HTMLElement {
  return element("div", { class: "field" }, element("label", { for: id }, words), input);
}

function stopped(view: PopupView): Piece {
  const halted = view.agents.flatMap(({ client, halt }) =>
    halt === null ? [] : [{ client, halt }],
  );
  return {
    key: "stopped",
    of: halted,
    make: () => {
      if (halted.length === 0) {
        return section(
          strings.stoppedTitle,
          null,
          element("p", { class: "empty" }, strings.noneStopped),
        );
      }
      const rows = halted.map(({ client, halt }) =>
        element(
          "li",
          {},
          element("div", { class: "words name" }, said(client, 60)),
          element("span", { class: "holder" }, strings.haltedAgent[halt]),
          button(
            strings.resume,
            "plain",
            () => tell({ ask: "halt", client, halt: null }),
            strings.resumeAgent(shown(client, 60)),
          ),
        ),
      );
      return section(strings.stoppedTitle, null, element("ul", { class: "card rows" }, ...rows));
    },
  };
}

function rulesSection(): HTMLElement {
  const inner = element("div", { class: "stack" });
  rules = new RuleEditor(inner, tell);
  return inner;
}

function pairing(view: PopupView): Piece {
  const { link } = view;
  const words = link.is === "connected" ? strings.pairedAs(link.profile, link.version) : null;
  return {
    key: "pairing",
    of: words,
    make: () =>
      section(
        strings.pairing,
        words,
        element(
          "div",
          { class: "card line" },
          element("p", { class: "note" }, strings.resetHint),
          twice(strings.reset, strings.resetSure, () => tell({ ask: "renew" })),
        ),
      ),
  };
}

function about(): Piece {
  const { version, version_name } = runtime.getManifest();
  return {
    key: "about",
    of: 0,
    make: () => element("p", { class: "note about" }, strings.version(version_name ?? version)),
  };
}
