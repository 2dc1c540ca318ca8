//! Finds what goes to the next page of a list: by what the page says of it, by its words in many
//! languages, by its place in a pagination. What sends a form off is never it.

import type { NextControl } from "../../wire/page.ts";
import { wordsFor } from "./describe.ts";
import { getAttribute, hasAttribute, localName, matches, querySelector, squash } from "./dom.ts";
import { isCrowded } from "./extract-find.ts";
import { CONTROLS } from "./interactive.ts";
import { reading } from "./reading.ts";
import { elementOf } from "./registry.ts";
import { elementsOf } from "./roots.ts";
import { flatClosest, flatParent } from "./shadow.ts";
import { isDisabled } from "./state.ts";
import { described } from "./target.ts";
import { isVisible } from "./visible.ts";

const NEXT = new Set(
  (
    "next|next page|next results|older|older posts|more results|weiter|nächste|nächste seite|vor|suivant|suivante|page suivante|siguiente|" +
    "página siguiente|próxima|próximo|próxima página|seguinte|avanti|successiva|successivo|pagina successiva|" +
    "volgende|volgende pagina|nästa|nästa sida|neste|neste side|næste|næste side|seuraava|następna|następna strona|dalej|" +
    "další|další strana|ďalšia|ďalší|következő|următoarea|următorul|înainte|sonraki|sonraki sayfa|ileri|επόμενη|επόμενο|" +
    "следующая|следующая страница|далее|вперёд|вперед|наступна|далі|следваща|sljedeća|следећа|naslednja|järgmine|nākamā|kitas|" +
    "次へ|次|次のページ|下一页|下一頁|下页|다음|다음 페이지|التالي|التالية|הבא|बाद में|अगला|berikutnya|selanjutnya|seterusnya|" +
    "tiếp|tiếp theo|trang sau|ถัดไป|หน้าถัดไป"
  ).split("|"),
);
const MORE = new Set(
  (
    "load more|show more|view more|see more|more|load more results|show more results|mehr laden|mehr anzeigen|weitere laden|weitere anzeigen|" +
    "mehr ergebnisse|voir plus|afficher plus|charger plus|cargar más|mostrar más|ver más|carregar mais|mostrar mais|ver mais|" +
    "carica altri|carica altro|mostra altri|mostra altro|meer laden|meer tonen|toon meer|visa fler|ladda fler|vis mer|vis flere|last mer|" +
    "indlæs flere|näytä lisää|pokaż więcej|załaduj więcej|načíst další|zobrazit další|zobrazit více|több betöltése|daha fazla|" +
    "daha fazla göster|показать ещё|показать еще|загрузить ещё|загрузить еще|もっと見る|さらに表示|加载更多|查看更多|載入更多|더 보기|더보기|" +
    "تحميل المزيد|عرض المزيد|הצג עוד|muat lebih banyak|xem thêm|ดูเพิ่มเติม"
  ).split("|"),
);
const SYMBOL = /^[›»>→▶❯⟩▸⏵〉]{1,2}$/;
const SYMBOLS = /[›»>→▶❯⟩▸⏵〉…]+/g;
const PAGING = /pag(?:er|ing|ination|inator)/i;
const NAMED_NEXT = /(?:^|[\s_-])next(?:$|[\s_-])/i;
const OFF = /(?:^|[\s_-])disabled(?:$|[\s_-])/i;
const SLIDES = /carousel|slider|swiper|slick|calendar|datepicker|lightbox/i;
const CLIMB_MOST = 6;

/** Answers `next_control`. */
export function nextControl(root: number | null): NextControl {
  return reading(() => {
    const rows = root === null ? null : elementOf(root);
    let best: Element | null = null;
    let most = 0;
    for (const el of elementsOf(document, isCrowded)) {
      if (!matches(el, CONTROLS) && !hasAttribute(el, "rel")) continue;
      const rank = rankOf(el, rows);
      if (rank > most && isVisible(el)) [best, most] = [el, rank];
    }
    if (!best) return { disabled: false };
    return { element: described(best), disabled: isOff(best) };
  });
}

function rankOf(el: Element, rows: Element | null): number {
  const tag = localName(el);
  if (tag === "link" || tag === "select" || tag === "textarea") return 0;
  const paging = isPaging(el);
  if (!paging && (isIn(el, SLIDES) || sendsForm(el))) return 0;
  const bonus = (paging ? 20 : 0) + (rows && follows(rows, el) ? 5 : 0);
  if (/(?:^|\s)next(?:\s|$)/i.test(getAttribute(el, "rel") ?? "")) return 100 + bonus;
  const words = squash(wordsFor(el)).toLowerCase();
  const plain = squash(words.replace(SYMBOLS, " "));
  if (NEXT.has(plain)) return 80 + bonus;
  if (paging && isNamedNext(el)) return 60 + bonus;
  if (paging && SYMBOL.test(words)) return 50 + bonus - (words.length > 1 ? 5 : 0);
  if (paging && isNumberAfter(el, words)) return 40 + bonus;
  // Inside of a row the same words open the row.
  const isOutside = !rows?.contains(el);
  return MORE.has(plain) && isOutside && follows(rows ?? el, el) ? 30 + bonus : 0;
}

function follows(one: Element, other: Element): boolean {
  if (one === other) return true;
  return (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

function isNamedNext(el: Element): boolean {
  return ["class", "id", "data-testid", "title", "aria-label"].some((name) =>
    NAMED_NEXT.test(getAttribute(el, name) ?? ""),
  );
}

/** The number after that of the page that is shown. */
function isNumberAfter(el: Element, words: string): boolean {
  const number = Number.parseInt(words, 10);
  if (!(number > 1) || String(number) !== words) return false;
  const place = flatClosest(el, (at) => isPagingItself(at));
  const current =
    place &&
    querySelector(place, "[aria-current]:not([aria-current=false]),.active,.current,.selected");
  return current !== null && squash(current.textContent ?? "") === String(number - 1);
}

function isPagingItself(el: Element): boolean {
  const words = ["class", "id", "aria-label", "data-testid"].map((name) => getAttribute(el, name));
  return PAGING.test(words.join(" "));
}

function isPaging(el: Element): boolean {
  let at: Element | null = el;
  for (let climb = 0; at && climb < CLIMB_MOST; climb += 1, at = flatParent(at)) {
    if (isPagingItself(at)) return true;
  }
  return false;
}

function isIn(el: Element, words: RegExp): boolean {
  let at: Element | null = el;
  for (let climb = 0; at && climb < CLIMB_MOST; climb += 1, at = flatParent(at)) {
    const told = `${getAttribute(at, "class")} ${getAttribute(at, "aria-roledescription")}`;
    if (words.test(told)) return true;
  }
  return false;
}

/** A step of a form sends what was filled in. */
function sendsForm(el: Element): boolean {
  if (!matches(el, "button:not([type]),button[type=submit],input[type=submit],input[type=image]")) {
    return false;
  }
  return flatClosest(el, (at) => localName(at) === "form") !== null;
}

function isOff(el: Element): boolean {
  if (isDisabled(el)) return true;
  const parent = flatParent(el);
  const classes = `${getAttribute(el, "class") ?? ""} ${parent && localName(parent) === "li" ? getAttribute(parent, "class") : ""}`;
  return OFF.test(classes);
}
