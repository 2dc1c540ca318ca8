//! What the reading tests call inside the isolated world.

import { pageArticle } from "../src/article.ts";
import { describe, labelWords, rowNameOf, shownRole } from "../src/describe.ts";
import { actsOf } from "../src/interactive.ts";
import { pageMarkdown } from "../src/markdown.ts";
import { descriptionOf, nameOf } from "../src/name.ts";
import { lines, outline, outlineOf } from "../src/outline.ts";
import { roleOf } from "../src/role.ts";
import { statesOf } from "../src/state.ts";
import { pageText } from "../src/text.ts";
import { isVisible } from "../src/visible.ts";

Object.assign(globalThis, {
  reader: {
    actsOf,
    describe,
    descriptionOf,
    isVisible,
    labelWords,
    lines,
    nameOf,
    outline,
    outlineOf,
    pageArticle,
    pageMarkdown,
    pageText,
    roleOf,
    rowNameOf,
    shownRole,
    statesOf,
  },
});
