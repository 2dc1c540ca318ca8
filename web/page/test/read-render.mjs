// A small text form of outlines, near to the printed one, for goldens and for reading by eye.
const quote = (text) => {
  const short = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  return `"${short.replace(/["\\]/g, "\\$&")}"`;
};

function state(one) {
  switch (one.k) {
    case "value":
    case "invalid":
    case "placeholder":
    case "description":
      return `${one.k}=${quote(one.v)}`;
    case "options":
      return `options=${quote(one.v.join("|"))}`;
    case "option_count":
      return `(${one.v} options)`;
    case "level":
    case "kind":
    case "autocomplete":
      return `${one.k}=${one.v}`;
    default:
      return one.k;
  }
}

function head(node, refs) {
  if (node.role === "text") return quote(node.name);
  const parts = [node.role];
  if (node.name) parts.push(quote(node.name));
  if (node.unseen) parts.push("(unseen)");
  if (node.acts) {
    refs.count += 1;
    parts.push(`[e${refs.count}]`);
  }
  for (const one of node.states ?? []) parts.push(state(one));
  if (node.url) parts.push(`→ ${node.url}`);
  if (node.frame) parts.push("(frame)");
  return parts.join(" ");
}

const isPlain = (node) =>
  !node.children &&
  (node.role === "link" || node.role === "button") &&
  (node.states ?? []).every((one) => one.k === "current" || one.k === "disabled");

function cell(node, refs) {
  if (node.role === "cell" || node.role === "item") {
    return (node.children ?? []).map((child) => flat(child, refs)).join(" · ");
  }
  return flat(node, refs);
}

function flat(node, refs) {
  const inner = node.children ?? [];
  if (node.role === "paragraph") return inner.map((child) => flat(child, refs)).join(" ");
  const own = head(node, refs);
  return inner.length > 0 ? `${own} (${inner.map((child) => flat(child, refs)).join(" · ")})` : own;
}

function lines(node, depth, refs, out) {
  const pad = "  ".repeat(depth);
  const kids = node.children ?? [];
  if (node.role === "paragraph") {
    out.push(pad + flat(node, refs));
    return;
  }
  if (
    node.role === "row" ||
    (node.role === "item" && kids.every((kid) => !kid.children?.length || kid.role === "paragraph"))
  ) {
    const own = node.acts || node.states ? head(node, refs) : node.role;
    out.push(`${pad}${own}: ${kids.map((kid) => cell(kid, refs)).join(" | ")}`);
    return;
  }
  let own = head(node, refs);
  if (node.list) {
    const { total, first, shown, table } = node.list;
    own += ` ${total} ${table ? "rows" : "items"}`;
    if (first > 0) own += ` ${first + 1} to ${first + shown}`;
    if (node.list.head) own += `: ${node.list.head.join(" | ")}`;
  }
  if (kids.length >= 3 && kids.every(isPlain) && !node.list) {
    const run = kids.map((kid) => head(kid, refs)).join(" · ");
    out.push(pad + (node.role === "list" ? run : `${own}: ${run}`));
    return;
  }
  out.push(pad + own);
  for (const kid of kids) lines(kid, depth + 1, refs, out);
  if (node.list && node.list.first + node.list.shown < node.list.total) {
    out.push(`${pad}  … ${node.list.total - node.list.first - node.list.shown} more`);
  }
}

export function render(outline) {
  const out = [];
  const refs = { count: 0 };
  for (const node of outline.nodes) lines(node, 0, refs, out);
  if (outline.cut) out.push("… cut");
  if (outline.canvasOnly) out.push("(canvas only)");
  if (outline.matches !== undefined) out.unshift(`${outline.matches} matches`);
  return out.join("\n");
}
